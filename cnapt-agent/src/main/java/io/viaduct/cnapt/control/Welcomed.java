package io.viaduct.cnapt.control;

import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;

/// A control connection that stands.
///
/// @param snapt who has welcomed us
/// @param data where it takes datagrams
/// @param welcome its message; the secret in it is for the data path only
/// @param ownReceiverIndex what the Hello named
public record Welcomed(Snapt snapt, InetSocketAddress data, Welcome welcome, int ownReceiverIndex) {
  /// Names the session; the secret stays out of logs.
  @Override
  public String toString() {
    return "session %s at %s%s"
        .formatted(welcome.getSessionId(), snapt, welcome.getResumed() ? ", resumed" : "");
  }
}
