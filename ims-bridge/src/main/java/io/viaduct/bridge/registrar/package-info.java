/// SIP registrar and proxy for MESSAGE: REGISTER (RFC 3261 section 10), digest, location service.
@NullMarked
package io.viaduct.bridge.registrar;

import org.jspecify.annotations.NullMarked;
