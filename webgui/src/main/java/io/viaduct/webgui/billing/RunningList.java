package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Running traffic of an account's devices, the highest rate first.
public record RunningList(List<Running> running) {
  public RunningList {
    running = List.copyOf(running);
  }

  /// The traffic of one application in one session.
  ///
  /// @param bitPerSecond the present rate, null where the relay asks for no quotas
  /// @param links the device's links, the one with the most bytes first; null from billing of the
  ///   version before
  /// @param throughputKbitPerSecond mean of the last report, null before the first; likewise below
  /// @param perMinuteMicrodenarii cost per minute at the last report
  public record Running(
      @Nullable String snapt,
      @Nullable String session,
      @Nullable String device,
      @Nullable String application,
      @Nullable String serviceClass,
      @Nullable List<String> links,
      long flows,
      @Nullable Double bitPerSecond,
      @Nullable Double throughputKbitPerSecond,
      @Nullable Double delayMs,
      @Nullable MicroDenarii perMinuteMicrodenarii,
      @Nullable Instant reportedAt) {
    /// The links in one text, null if none is known.
    public @Nullable String link() {
      return links == null || links.isEmpty() ? null : String.join(", ", links);
    }

    /// The present rate, else that of the last report, bit/s; null if neither is known.
    public @Nullable Double rate() {
      if (bitPerSecond != null) {
        return bitPerSecond;
      }
      return throughputKbitPerSecond == null ? null : throughputKbitPerSecond * 1000;
    }
  }
}
