/// The tunnel's UDP sockets: segmentation offload for sending to one peer, one system call for
/// small datagrams to many peers, GRO for receiving, and one socket per event loop. The kernel
/// chooses the socket by a byte of the datagram.
@NullMarked
package io.viaduct.host.udp;

import org.jspecify.annotations.NullMarked;
