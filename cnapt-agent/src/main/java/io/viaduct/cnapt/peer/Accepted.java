package io.viaduct.cnapt.peer;

import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// The other end after its Hello: its key is the one of the configuration.
///
/// @param welcome the answer, without the session secret
/// @param terms terms of a new session; null if the session goes on
/// @param from address of the control connection at the other end
/// @param connection the connection, for datagrams while UDP is blocked
public record Accepted(
    Welcome welcome,
    @Nullable TunnelTerms terms,
    InetSocketAddress from,
    ControlLine.Connection connection) {
  /// Returns the session's id only, so that no secret appears in logs.
  @Override
  public String toString() {
    return "session %s of the peer at %s%s"
        .formatted(
            welcome.getSessionId(),
            from.getAddress().getHostAddress(),
            terms == null ? ", resumed" : "");
  }
}
