package io.viaduct.sip;

import java.net.InetSocketAddress;

/// Source or target of a message. Over TCP it stands for the connection with that peer (RFC 5626: a
/// flow). Over UDP it is the packet's address and port, which behind a NAT differ from the Contact.
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
