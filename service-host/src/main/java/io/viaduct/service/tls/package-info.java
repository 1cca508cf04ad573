/// Keys and certificates: PEM files into TLS 1.3 contexts, and Ed25519 keys for signatures.
@NullMarked
package io.viaduct.service.tls;

import org.jspecify.annotations.NullMarked;
