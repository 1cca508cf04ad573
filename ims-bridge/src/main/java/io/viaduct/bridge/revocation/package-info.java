/// Revocation of session tokens before their end: the list that SNAPTs get (ADR 0071).
@NullMarked
package io.viaduct.bridge.revocation;

import org.jspecify.annotations.NullMarked;
