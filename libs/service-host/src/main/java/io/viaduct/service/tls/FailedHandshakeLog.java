package io.viaduct.service.tls;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs a failed TLS handshake at a listener as one line with peer and reason. The limits are one
/// line per minute and peer, and for all peers 20 lines per minute with a burst of 20, so that no
/// peer can fill the disk. Thread-safe.
public final class FailedHandshakeLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailedHandshakeLog.class);
  private static final Duration PER_PEER = Duration.ofMinutes(1);
  private static final Duration PER_LINE = Duration.ofSeconds(3);
  private static final int LINES_AT_ONCE = 20;
  private static final int PEERS = 4096;

  private final String listener;
  private final TokenBuckets<SourceNetwork> byPeer;
  private final TokenBuckets<String> allPeers;
  private final AtomicLong suppressed = new AtomicLong();

  /// @param listener name of the listener in the log, such as `control`
  public FailedHandshakeLog(String listener, InstantSource clock) {
    this.listener = listener;
    this.byPeer = new TokenBuckets<>(1, PER_PEER, PEERS, clock);
    this.allPeers = new TokenBuckets<>(LINES_AT_ONCE, PER_LINE, 1, clock);
  }

  /// @param peer address of the peer; null if the connection has closed
  public void failed(@Nullable SocketAddress peer, Throwable cause) {
    failed(peer, HandshakeFailure.reason(cause));
  }

  /// @param why reason, as one clause
  public void failed(@Nullable SocketAddress peer, String why) {
    boolean isAllowed =
        !(peer instanceof InetSocketAddress ip) || byPeer.take(SourceNetwork.of(ip.getAddress()));
    if (!isAllowed || !allPeers.take(listener)) {
      suppressed.incrementAndGet();
      return;
    }
    long suppressedBefore = suppressed.getAndSet(0);
    LOG.warn(
        "{}: TLS with {} failed: {}{}",
        listener,
        nameOf(peer),
        why,
        suppressedBefore == 0 ? "" : "; " + suppressedBefore + " more failed since the last line");
  }

  private static String nameOf(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress ip
        ? ip.getAddress().getHostAddress() + ":" + ip.getPort()
        : "an unknown peer";
  }
}
