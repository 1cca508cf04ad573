package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.util.List;

/// Configuration keys `tunnel: …` of both ends. Each end applies its own to the packets that it
/// sends and to its flow table. The terms on which both ends agree are in [TunnelTerms].
///
/// @param context rule by which records may be compressed together
/// @param compoundPercent compressed size that closes a compound, in percent of the path MTU, 10 …
///   100
/// @param classDeadlines longest wait for further packets, per class in priority order, ≤ 1 s
/// @param classQueueBytes bound of each class's queue of closed compounds, per class in priority
///   order
/// @param floorPercent share of the bytes of higher classes that each waiting lower class gets, 0 …
///   33
/// @param scheduling which class sends first while more than one waits
/// @param pacing rate at which datagrams leave
/// @param flowsMax largest number of flows with state per session
/// @param udpIdle idle time that ends a UDP flow
/// @param tcpIdle idle time that ends a TCP connection whose end was not seen
/// @param icmpIdle idle time that ends any other flow
/// @param historyBytes largest history that this end offers, see [TunnelLimits]
public record TunnelSettings(
    CompressionContext context,
    int compoundPercent,
    List<Duration> classDeadlines,
    List<Integer> classQueueBytes,
    int floorPercent,
    Scheduling scheduling,
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

  /// Returns the defaults. A deadline is at most a tenth of the class's delay limit. A low-delay
  /// class may add 20 ms, including all delays other than waiting (ADR 0013). The queues hold the
  /// bytes that 100 Mbit/s sends in about 20 ms, 40 ms, 80 ms, 320 ms.
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
        Scheduling.defaults(),
        Pacing.AUTO,
        65_536,
        Duration.ofSeconds(60),
        Duration.ofHours(2),
        Duration.ofSeconds(30),
        65_536);
  }

  public FlowTimeouts timeouts() {
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
