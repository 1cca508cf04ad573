package io.viaduct.sip;

import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.SocketSettings;
import java.net.InetSocketAddress;
import java.time.Duration;

/// How an endpoint listens and what it bears.
///
/// @param sentBy host written into Via; empty: the local address of each request's route
/// @param guard bounds on one message
/// @param underWay messages in processing at a time; more requests get 503
/// @param answersPerSecond to refused messages, all reasons together
/// @param remembered final responses kept for retransmissions over UDP
/// @param pending requests of ours without a final response at a time
public record SipEndpointSettings(
    SocketSettings sockets,
    String sentBy,
    GuardLimits guard,
    int underWay,
    int answersPerSecond,
    int remembered,
    int pending) {
  public SipEndpointSettings {
    if (underWay < 1 || answersPerSecond < 0 || remembered < 1 || pending < 1) {
      throw new IllegalArgumentException(
          "need under-way, remembered, pending >= 1 and answers-per-second >= 0, got "
              + underWay
              + ", "
              + remembered
              + ", "
              + pending
              + ", "
              + answersPerSecond);
    }
  }

  /// For a user agent: one user's traffic.
  public static SipEndpointSettings client(InetSocketAddress bind) {
    return new SipEndpointSettings(
        new SocketSettings(
            bind, 0, 64, Duration.ofMinutes(30), Duration.ofSeconds(32), Duration.ofSeconds(5)),
        "",
        GuardLimits.STANDARD,
        64,
        20,
        1024,
        256);
  }

  /// The same with `SO_MARK` on every socket, so that policy routing keeps SIP out of the tunnel.
  public SipEndpointSettings withFwmark(int fwmark) {
    SocketSettings s = sockets;
    return new SipEndpointSettings(
        new SocketSettings(
            s.bind(), fwmark, s.connections(), s.idle(), s.message(), s.connectTimeout()),
        sentBy,
        guard,
        underWay,
        answersPerSecond,
        remembered,
        pending);
  }
}
