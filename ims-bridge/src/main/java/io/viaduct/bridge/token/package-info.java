/// Event package `snapt-session`: a subscription gets signed short-lived session tokens and the
/// list of SNAPTs by NOTIFY (RFC 6665).
@NullMarked
package io.viaduct.bridge.token;

import org.jspecify.annotations.NullMarked;
