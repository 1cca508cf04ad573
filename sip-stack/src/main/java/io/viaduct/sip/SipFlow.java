package io.viaduct.sip;

import java.net.InetSocketAddress;

/// Where a message came from or goes to: over TCP the connection with that peer (RFC 5626 calls it
/// a flow), over UDP its address and port as seen on the packet, which behind a NAT are not those
/// of the Contact.
///
/// @param remote a resolved address
public record SipFlow(Transport transport, InetSocketAddress remote) {
  public SipFlow {
    if (remote.isUnresolved()) {
      throw new IllegalArgumentException("address must be resolved, got " + remote);
    }
  }

  @Override
  public String toString() {
    return transport.parameter() + ":" + HostPort.of(remote);
  }
}
