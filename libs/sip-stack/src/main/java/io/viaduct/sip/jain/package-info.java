/// Contains all use of JAIN-SIP: client transactions with their timers and retransmissions (RFC
/// 3261 section 17), matching of responses, and a second parse of what the guard accepted. The
/// stack sees only the headers that transactions need. All bytes on the wire are encoded by our own
/// code.
@NullMarked
package io.viaduct.sip.jain;

import org.jspecify.annotations.NullMarked;
