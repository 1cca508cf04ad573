package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.util.List;

/// The configuration keys `tunnel: …` that both ends have, each for what it sends and for its own
/// flow table. What the ends must agree on is in [TunnelTerms].
///
/// @param context which records may be compressed together
/// @param compoundPercent compressed size that closes a compound, in percent of the path MTU, 10 …
///   100
/// @param classDeadlines longest wait for company, per class in priority order, ≤ 1 s
/// @param classQueueBytes bound of each class's queue of closed compounds, per class in priority
///   order
/// @param floorPercent share of the bytes of higher classes that each waiting lower class gets, 0 …
///   33
/// @param pacing how fast datagrams leave
/// @param flowsMax flows of a session with state of their own at a time
/// @param udpIdle idle time that ends a UDP flow
/// @param tcpIdle idle time that ends a TCP connection of which no end was seen
/// @param icmpIdle idle time that ends any other flow
/// @param historyBytes the most that this end offers, see [TunnelLimits]
public record TunnelSettings(
    CompressionContext context,
    int compoundPercent,
    List<Duration> classDeadlines,
    List<Integer> classQueueBytes,
    int floorPercent,
    Pacing pacing,
    int flowsMax,
    Duration udpIdle,
    Duration tcpIdle,
    Duration icmpIdle,
    int historyBytes) {
  public TunnelSettings {
    if (compoundPercent < 10 || compoundPercent > 100) {
      throw new IllegalArgumentException(
          "compound-percent must be from 10 to 100, got " + compoundPercent);
    }
    require(floorPercent >= 0 && floorPercent <= 33, "floor-percent", floorPercent, "0 … 33");
    require(flowsMax >= 16 && flowsMax <= 524_288, "flows-max", flowsMax, "16 … 524288");
    classDeadlines = List.copyOf(classDeadlines);
    classQueueBytes = List.copyOf(classQueueBytes);
    requireEachClass("class-deadlines", classDeadlines);
    requireEachClass("class-queue-bytes", classQueueBytes);
    for (Duration deadline : classDeadlines) {
      require(
          !deadline.isNegative() && deadline.compareTo(Duration.ofSeconds(1)) <= 0,
          "class-deadlines",
          deadline,
          "0 … 1 s");
    }
    for (int bytes : classQueueBytes) {
      require(
          bytes >= 131_072 && bytes <= 1 << 28,
          "class-queue-bytes",
          bytes,
          "131072 (two superpackets) … 268435456");
    }
    requireIdle("udp-idle", udpIdle);
    requireIdle("tcp-idle", tcpIdle);
    requireIdle("icmp-idle", icmpIdle);
    TunnelLimits.requireHistoryBytes(historyBytes);
  }

  /// The defaults. Deadlines: a tenth of the class's delay limit at most; low delay may add 20 ms
  /// with all that is not waiting (ADR 0013). Queues: what 100 Mbit/s sends in about 20 ms, 40 ms,
  /// 80 ms, 320 ms.
  public static TunnelSettings defaults() {
    return new TunnelSettings(
        CompressionContext.REMOTE_HOST,
        70,
        List.of(
            Duration.ofMillis(19),
            Duration.ofMillis(19),
            Duration.ofMillis(50),
            Duration.ofMillis(50)),
        List.of(1 << 18, 1 << 19, 1 << 20, 1 << 22),
        5,
        Pacing.AUTO,
        65_536,
        Duration.ofSeconds(60),
        Duration.ofHours(2),
        Duration.ofSeconds(30),
        65_536);
  }

  FlowTimeouts timeouts() {
    return new FlowTimeouts(udpIdle.toNanos(), tcpIdle.toNanos(), icmpIdle.toNanos());
  }

  private static void requireEachClass(String key, List<?> values) {
    require(values.size() == ServiceClass.COUNT, key, values, "one per class, 4");
  }

  private static void requireIdle(String key, Duration idle) {
    require(
        idle.compareTo(Duration.ofSeconds(1)) >= 0 && idle.compareTo(Duration.ofDays(7)) <= 0,
        key,
        idle,
        "1 s … 7 d");
  }

  private static void require(boolean holds, String key, Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(key + " is " + value + ", must be " + rule);
    }
  }
}
