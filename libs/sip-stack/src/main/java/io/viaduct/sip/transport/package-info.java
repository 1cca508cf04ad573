/// The sockets: UDP and TCP on Netty, framing of the stream, admission, and the memory of sent
/// responses. A datagram passes: socket, guard, retransmission check, admission, a virtual thread,
/// the stack.
@NullMarked
package io.viaduct.sip.transport;

import org.jspecify.annotations.NullMarked;
