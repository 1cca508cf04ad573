package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.tunnel.session.TunnelSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

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
/// @param flowsMax flows with state of their own at a time
public record SessionSettings(
    int pathMtu,
    Preference aead,
    Context context,
    int compoundPercent,
    List<Duration> classDeadlines,
    List<Integer> classQueueBytes,
    int floorPercent,
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
      return word(Preference.class, "aead", text);
    }
  }

  /// Which records may be compressed together.
  public enum Context {
    REMOTE_HOST,
    DEVICE,
    OFF;

    @JsonCreator
    static Context of(String text) {
      return word(Context.class, "context", text);
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
        TunnelSettings.CompressionContext.valueOf(context.name()),
        classDeadlines,
        classQueueBytes,
        floorPercent,
        flowsMax,
        udpIdle,
        tcpIdle,
        icmpIdle);
  }

  private static <E extends Enum<E>> E word(Class<E> type, String key, String text) {
    for (E value : type.getEnumConstants()) {
      if (value.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
        return value;
      }
    }
    StringBuilder words = new StringBuilder();
    for (E value : type.getEnumConstants()) {
      words.append(words.isEmpty() ? "" : ", ");
      words.append(value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    throw new IllegalArgumentException(
        "%s must be one of %s, got '%s'".formatted(key, words, text));
  }
}
