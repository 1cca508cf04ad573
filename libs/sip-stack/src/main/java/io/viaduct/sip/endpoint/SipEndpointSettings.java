package io.viaduct.sip.endpoint;

import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.SocketSettings;
import java.net.InetSocketAddress;
import java.time.Duration;

/// Addresses and limits of an endpoint.
///
/// @param sentBy host written into Via; empty: the local address of each request's route
/// @param guard bounds on one message
/// @param transactionsMax most server transactions processed at a time (RFC 3261 section 17.2);
///   further requests get 503
/// @param answersPerSecond most answers to refused messages, all reasons together
/// @param answersPerSource most answers over UDP, per second and source, while the source has not
///   proved that it receives them; a burst may be five times as large
/// @param remembered most final responses kept for retransmissions over UDP
/// @param pending most requests of ours without a final response at a time, most INVITEs of ours
///   and most INVITEs of others that a handler serves at a time
public record SipEndpointSettings(
    SocketSettings sockets,
    String sentBy,
    GuardLimits guard,
    int transactionsMax,
    int answersPerSecond,
    int answersPerSource,
    int remembered,
    int pending) {
  private static final int ANSWERS_PER_SOURCE_MAX = 100_000;

  public SipEndpointSettings {
    if (transactionsMax < 1
        || answersPerSecond < 0
        || answersPerSource < 1
        || answersPerSource > ANSWERS_PER_SOURCE_MAX
        || remembered < 1
        || pending < 1) {
      throw new IllegalArgumentException(
          "need transactions-max, remembered, pending >= 1, answers-per-second >= 0 and"
              + " answers-per-source 1.."
              + ANSWERS_PER_SOURCE_MAX
              + ", got "
              + transactionsMax
              + ", "
              + remembered
              + ", "
              + pending
              + ", "
              + answersPerSecond
              + ", "
              + answersPerSource);
    }
  }

  /// Returns the limits for a user agent: the traffic of one user.
  public static SipEndpointSettings client(InetSocketAddress bind) {
    return new SipEndpointSettings(
        new SocketSettings(
            bind,
            0,
            64,
            64,
            Duration.ofSeconds(32),
            Duration.ofMinutes(30),
            Duration.ofSeconds(32),
            Duration.ofSeconds(5)),
        "",
        GuardLimits.STANDARD,
        64,
        20,
        200,
        1024,
        256);
  }

  /// Returns the same settings with `SO_MARK` on every socket, so that policy routing keeps SIP out
  /// of the tunnel.
  public SipEndpointSettings withFwmark(int fwmark) {
    return new SipEndpointSettings(
        sockets.withFwmark(fwmark),
        sentBy,
        guard,
        transactionsMax,
        answersPerSecond,
        answersPerSource,
        remembered,
        pending);
  }
}
