package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.session.TunnelSettings;
import io.viaduct.tunnel.session.TunnelSettings.CompressionContext;
import java.time.Duration;
import java.util.List;

/// The configuration keys `tunnel: …`, in an operator's words; [#tunnel] says them in the
/// protocol's.
///
/// @param pathMtu size of an outer IP packet, bytes
/// @param aead which AEAD is preferred
/// @param context which records may be compressed together
/// @param compoundPercent compressed size that closes a compound, in percent of the path MTU
/// @param classDeadlines longest wait for company, in priority order
/// @param classQueueBytes bytes that may wait, in priority order
/// @param floorPercent share that a lower class gets of the bytes of the higher ones
/// @param pacing auto, off, or bit/s
/// @param flowsMax flows with state of their own at a time
public record SessionSettings(
    int pathMtu,
    Preference aead,
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
  /// Which AEAD is offered first.
  public enum Preference {
    /// AES-256-GCM where the processor has instructions for it.
    AUTO,
    AES_256_GCM,
    CHACHA20_POLY1305;

    @JsonCreator
    static Preference of(String text) {
      return switch (text) {
        case "auto" -> AUTO;
        case "aes-256-gcm" -> AES_256_GCM;
        case "chacha20-poly1305" -> CHACHA20_POLY1305;
        default ->
            throw new IllegalArgumentException(
                "aead must be one of auto, aes-256-gcm, chacha20-poly1305, got '" + text + "'");
      };
    }
  }

  /// Which records may be compressed together: [CompressionContext], as a file says it.
  public enum Context {
    REMOTE_HOST,
    DEVICE,
    OFF;

    @JsonCreator
    static Context of(String text) {
      return valueOf(CompressionContext.of(text).name());
    }
  }

  /// The same for the protocol core, whose own record checks the ranges.
  ///
  /// @throws IllegalArgumentException naming the key and its range
  public TunnelSettings tunnel() {
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
