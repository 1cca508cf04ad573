/// The transactions of INVITE (RFC 3261 sections 17.1.1 and 17.2.1, RFC 6026), without a thread
/// that waits. All timers of an endpoint run on one thread.
@NullMarked
package io.viaduct.sip.invite;

import org.jspecify.annotations.NullMarked;
