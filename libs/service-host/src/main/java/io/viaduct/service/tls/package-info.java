/// Keys and certificates: TLS 1.3 contexts from PEM files, and Ed25519 keys for signatures.
@NullMarked
package io.viaduct.service.tls;

import org.jspecify.annotations.NullMarked;
