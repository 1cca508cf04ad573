/// The tunnel's UDP sockets: segmentation offload out, GRO in, one socket per event loop with the
/// kernel choosing the socket by a byte of the datagram.
@NullMarked
package io.viaduct.host.udp;

import org.jspecify.annotations.NullMarked;
