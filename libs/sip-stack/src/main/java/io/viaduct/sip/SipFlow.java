package io.viaduct.sip;

import java.net.InetSocketAddress;

/// Source or target of a message. Over TCP it stands for the connection with that peer (RFC 5626: a
/// flow). Over UDP it is the packet's address and port, which behind a NAT differ from the Contact.
///
/// @param remote a resolved address
/// @param owner name of the server whose socket has the flow; empty for this one. An endpoint uses
///   its own flows only
public record SipFlow(Transport transport, InetSocketAddress remote, String owner) {
  public SipFlow {
    if (remote.isUnresolved()) {
      throw new IllegalArgumentException("address must be resolved, got " + remote);
    }
  }

  /// Makes a flow of this server.
  public SipFlow(Transport transport, InetSocketAddress remote) {
    this(transport, remote, "");
  }

  /// Returns the same flow with another owner.
  public SipFlow of(String other) {
    return other.equals(owner) ? this : new SipFlow(transport, remote, other);
  }

  @Override
  public String toString() {
    String text = transport.parameter() + ":" + HostPort.of(remote);
    return owner.isEmpty() ? text : text + "@" + owner;
  }
}
