package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.util.List;

/// What an operator may set on one end of a tunnel; both ends may differ, except where the
/// handshake agrees on it.
///
/// @param pathMtu outer IP packet in bytes, 576 … 9000; the smaller of both ends'
/// @param outerIpv6 whether datagrams travel in IPv6 (48 bytes of outer headers instead of 28)
/// @param fillThreshold share of the path MTU at which a compound closes, by compressed size, 0.1 …
///   1
/// @param context which records may be compressed together
/// @param classDeadlines longest wait for company, per class in priority order, ≤ 1 s
/// @param classQueueBytes bound of each class's queue of closed compounds, per class in priority
///   order
/// @param floorPercent share of the bytes of higher classes that each waiting lower class gets, 0 …
///   33
/// @param pacing how fast datagrams leave
/// @param flowsMax bound of the flow table
/// @param udpIdle idle time that ends a UDP flow
/// @param tcpIdle idle time that ends a TCP connection of which no end was seen
/// @param icmpIdle idle time that ends any other flow
/// @param historyBytes plain text that a dictionary epoch holds, a power of two from 16 KiB to 1
///   MiB, as the handshake agreed; 0: neither histories nor zstd
public record TunnelSettings(
    int pathMtu,
    boolean outerIpv6,
    double fillThreshold,
    CompressionContext context,
    List<Duration> classDeadlines,
    List<Integer> classQueueBytes,
    int floorPercent,
    Pacing pacing,
    int flowsMax,
    Duration udpIdle,
    Duration tcpIdle,
    Duration icmpIdle,
    int historyBytes) {

  /// What an end offers that sets nothing else.
  public static final int HISTORY_BYTES = 65_536;

  /// Below, a block of a full compound might not fit into an epoch.
  static final int HISTORY_BYTES_MIN = 1 << 14;

  static final int HISTORY_BYTES_MAX = 1 << 20;

  /// Which records may be compressed together.
  public enum CompressionContext {
    /// One remote host: what it sends meets no other host's bytes in one window.
    REMOTE_HOST,
    /// The whole compound (the seed paper's mode): best savings, open to compression oracles.
    DEVICE,
    /// Nothing is compressed.
    OFF;

    CompoundWriter.Grouping grouping() {
      return switch (this) {
        case REMOTE_HOST -> CompoundWriter.Grouping.REMOTE_HOST;
        case DEVICE -> CompoundWriter.Grouping.ALL;
        case OFF -> CompoundWriter.Grouping.STORED;
      };
    }

    /// The value that a configuration file calls so: `remote-host`, `device`, `off`.
    public static CompressionContext of(String word) {
      return switch (word) {
        case "remote-host" -> REMOTE_HOST;
        case "device" -> DEVICE;
        case "off", "false" -> OFF; // YAML 1.1 reads a bare off as a truth value
        default ->
            throw new IllegalArgumentException(
                "context must be one of remote-host, device, off, got '" + word + "'");
      };
    }
  }

  static final int PATH_MTU_MAX = 9_000;
  public static final int IPV4_UDP_BYTES = 28;
  public static final int IPV6_UDP_BYTES = 48;

  public TunnelSettings {
    require(pathMtu >= 576 && pathMtu <= PATH_MTU_MAX, "path-mtu", pathMtu, "576 … 9000 bytes");
    require(
        fillThreshold >= 0.1 && fillThreshold <= 1.0, "fill-threshold", fillThreshold, "0.1 … 1");
    require(floorPercent >= 0 && floorPercent <= 33, "floor-percent", floorPercent, "0 … 33");
    require(flowsMax >= 16 && flowsMax <= 524_288, "flows-max", flowsMax, "16 … 524288");
    classDeadlines = List.copyOf(classDeadlines);
    classQueueBytes = List.copyOf(classQueueBytes);
    require(
        classDeadlines.size() == ServiceClass.COUNT,
        "class-deadlines",
        classDeadlines,
        "one per class, 4");
    require(
        classQueueBytes.size() == ServiceClass.COUNT,
        "class-queue-bytes",
        classQueueBytes,
        "one per class, 4");
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
    require(
        historyBytes == 0
            || Integer.bitCount(historyBytes) == 1
                && historyBytes >= HISTORY_BYTES_MIN
                && historyBytes <= HISTORY_BYTES_MAX,
        "history-bytes",
        historyBytes,
        "0, or a power of two from 16384 to 1048576");
  }

  /// The defaults. Deadlines: a tenth of the class's delay limit, at most 20 ms for low delay, 50
  /// ms for the others. Queues: what 100 Mbit/s sends in about 20 ms, 40 ms, 80 ms, 320 ms.
  public static TunnelSettings defaults() {
    return new TunnelSettings(
        1500,
        false,
        0.70,
        CompressionContext.REMOTE_HOST,
        List.of(
            Duration.ofMillis(20),
            Duration.ofMillis(20),
            Duration.ofMillis(50),
            Duration.ofMillis(50)),
        List.of(1 << 18, 1 << 19, 1 << 20, 1 << 22),
        5,
        Pacing.AUTO,
        65_536,
        Duration.ofSeconds(60),
        Duration.ofHours(2),
        Duration.ofSeconds(30),
        HISTORY_BYTES);
  }

  /// The fill threshold as configuration files say it, `compound-percent`.
  public static double fillThreshold(int compoundPercent) {
    if (compoundPercent < 10 || compoundPercent > 100) {
      throw new IllegalArgumentException(
          "compound-percent must be from 10 to 100, got " + compoundPercent);
    }
    return compoundPercent / 100.0;
  }

  public TunnelSettings withPathMtu(int bytes) {
    return new TunnelSettings(
        bytes,
        outerIpv6,
        fillThreshold,
        context,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        historyBytes);
  }

  public TunnelSettings withOuterIpv6(boolean ipv6) {
    return new TunnelSettings(
        pathMtu,
        ipv6,
        fillThreshold,
        context,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        historyBytes);
  }

  public TunnelSettings withContext(CompressionContext compression) {
    return new TunnelSettings(
        pathMtu,
        outerIpv6,
        fillThreshold,
        compression,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        historyBytes);
  }

  public TunnelSettings withPacing(Pacing rule) {
    return new TunnelSettings(
        pathMtu,
        outerIpv6,
        fillThreshold,
        context,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        rule,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        historyBytes);
  }

  /// What two ends agree on, of which the other one offers so much: the smaller, 0 if that is too
  /// little to be of use.
  public static int historyBytes(int offered) {
    int agreed = Math.min(HISTORY_BYTES, Integer.highestOneBit(Math.max(0, offered)));
    return agreed < HISTORY_BYTES_MIN ? 0 : agreed;
  }

  public TunnelSettings withHistoryBytes(int bytes) {
    return new TunnelSettings(
        pathMtu,
        outerIpv6,
        fillThreshold,
        context,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        bytes);
  }

  public TunnelSettings withFillThreshold(double share) {
    return new TunnelSettings(
        pathMtu,
        outerIpv6,
        share,
        context,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        historyBytes);
  }

  /// Bytes that the outer IP and UDP headers cost per datagram.
  public int outerHeaderBytes() {
    return outerIpv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;
  }

  /// Largest inner packet that always fits into one datagram: the MTU of the TUN device, for both
  /// ends.
  public int innerMtu() {
    return pathMtu - IPV6_UDP_BYTES - INNER_PACKET_OVERHEAD;
  }

  /// Largest inner packet that always fits into one datagram of so many bytes.
  int innerMtu(int size) {
    return size - outerHeaderBytes() - INNER_PACKET_OVERHEAD;
  }

  /// Largest body of a compound in an outer IP packet of so many bytes: a stamp block always fits
  /// in front of it.
  int bodyBytesMax(int size) {
    return size - bodyOverhead();
  }

  /// Body size at which a compound closes.
  int bodyBytesTarget(int size) {
    return (int) (size * fillThreshold) - bodyOverhead();
  }

  private int bodyOverhead() {
    return outerHeaderBytes() + Sealer.OVERHEAD + Record.STAMP_BLOCK_BYTES;
  }

  /// 8 header, 16 tag, 8 stamp block, 1 descriptor, 1 kind, 3 flow, 1 application.
  private static final int INNER_PACKET_OVERHEAD = 8 + 16 + 8 + 1 + 1 + 3 + 1;

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
