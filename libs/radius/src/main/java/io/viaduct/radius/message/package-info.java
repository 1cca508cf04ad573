/// Octets to packet or refusal, and back; signatures with the shared secret. Pure.
@NullMarked
package io.viaduct.radius.message;

import org.jspecify.annotations.NullMarked;
