/// The second factor of log-ins: codes of an authenticator app (RFC 6238), recovery codes, and the
/// challenges between password and code.
@NullMarked
package io.viaduct.billing.secondfactor;

import org.jspecify.annotations.NullMarked;
