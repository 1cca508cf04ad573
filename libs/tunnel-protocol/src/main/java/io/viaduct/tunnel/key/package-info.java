/// Keys of one session: HKDF chains per direction, key epochs, authenticated encryption, nonces
/// that never repeat.
@NullMarked
package io.viaduct.tunnel.key;

import org.jspecify.annotations.NullMarked;
