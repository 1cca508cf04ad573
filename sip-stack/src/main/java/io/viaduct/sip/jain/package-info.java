/// JAIN-SIP, and nothing of it outside of this package: client transactions with their timers and
/// retransmissions (RFC 3261 section 17), matching of responses, a second parse of what the guard
/// let through. The stack is shown only the headers that transactions need; the bytes on the wire
/// are always ours.
@NullMarked
package io.viaduct.sip.jain;

import org.jspecify.annotations.NullMarked;
