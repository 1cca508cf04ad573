package io.viaduct.cnapt.control;

import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.session.ControlLine;
import java.net.InetSocketAddress;

/// A control connection that stands.
///
/// @param snapt who has welcomed us
/// @param data where it takes datagrams
/// @param welcome its message; the secret in it is for the data path only
/// @param ownReceiverIndex what the Hello named
/// @param connection itself, for datagrams while UDP is blocked
public record Welcomed(
    Snapt snapt,
    InetSocketAddress data,
    Welcome welcome,
    int ownReceiverIndex,
    ControlLine.Connection connection) {
  /// Names the session; the secret stays out of logs.
  @Override
  public String toString() {
    return "session %s at %s%s"
        .formatted(welcome.getSessionId(), snapt, welcome.getResumed() ? ", resumed" : "");
  }
}
