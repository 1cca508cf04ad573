package io.viaduct.snapt;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.session.TunnelSettings;
import io.viaduct.tunnel.session.TunnelSettings.CompressionContext;
import java.time.Duration;
import java.util.List;

/// The configuration keys `tunnel: …`: what this SNAPT does with what it sends to devices. An agent
/// has the same keys for its own direction; path MTU and AEAD are agreed in the handshake.
///
/// @param context which records may be compressed together
/// @param compoundPercent compressed size that closes a compound, in percent of the path MTU
/// @param classDeadlines longest wait for company, in priority order
/// @param classQueueBytes bytes of a session that may wait, in priority order
/// @param floorPercent share that a lower class gets of the bytes of the higher ones
/// @param pacing auto, off, or bit/s
/// @param flowsMax flows of a session with state of their own at a time
public record TunnelKeys(
    Context context,
    int compoundPercent,
    List<Duration> classDeadlines,
    List<Integer> classQueueBytes,
    int floorPercent,
    String pacing,
    int flowsMax,
    Duration udpIdle,
    Duration tcpIdle,
    Duration icmpIdle) {
  private static final int ANY_PATH_MTU = 1500;

  /// Which records may be compressed together: [CompressionContext], as a file says it.
  public enum Context {
    REMOTE_HOST,
    DEVICE,
    OFF;

    @JsonCreator
    static Context of(String word) {
      return valueOf(CompressionContext.of(word).name());
    }
  }

  /// The protocol's own record checks the ranges.
  public TunnelKeys {
    classDeadlines = List.copyOf(classDeadlines);
    classQueueBytes = List.copyOf(classQueueBytes);
    settings(
        ANY_PATH_MTU,
        context,
        compoundPercent,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle);
  }

  /// The same for the protocol core.
  TunnelSettings settings(int pathMtu) {
    return settings(
        pathMtu,
        context,
        compoundPercent,
        classDeadlines,
        classQueueBytes,
        floorPercent,
        pacing,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle);
  }

  private static TunnelSettings settings(
      int pathMtu,
      Context context,
      int compoundPercent,
      List<Duration> classDeadlines,
      List<Integer> classQueueBytes,
      int floorPercent,
      String pacing,
      int flowsMax,
      Duration udpIdle,
      Duration tcpIdle,
      Duration icmpIdle) {
    return new TunnelSettings(
        pathMtu,
        false,
        TunnelSettings.fillThreshold(compoundPercent),
        CompressionContext.valueOf(context.name()),
        classDeadlines,
        classQueueBytes,
        floorPercent,
        Pacing.of(pacing),
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle,
        TunnelSettings.HISTORY_BYTES);
  }
}
