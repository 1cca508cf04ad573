/// The authority of an installation and the certificates that it issues (RFC 5280).
@NullMarked
package io.viaduct.setup.pki;

import org.jspecify.annotations.NullMarked;
