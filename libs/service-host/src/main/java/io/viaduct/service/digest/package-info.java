/// Digests of bytes and texts.
@NullMarked
package io.viaduct.service.digest;

import org.jspecify.annotations.NullMarked;
