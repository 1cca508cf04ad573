package io.viaduct.webgui.billing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Sessions of an account in access networks, latest first.
public record AccessSessions(List<Session> accessSessions) {
  private static final Set<String> COMPARISONS = Set.of("open", "within", "above");

  public AccessSessions {
    accessSessions = List.copyOf(accessSessions);
  }

  /// A session.
  ///
  /// @param upBytes from the device, as the network counts them
  /// @param downBytes to the device
  /// @param tunnelBytes bytes on the wire that SNAPTs have reported in its time
  public record Session(
      String id,
      @Nullable String network,
      @Nullable String device,
      @Nullable Instant startedAt,
      @Nullable Instant heardAt,
      long upBytes,
      long downBytes,
      long tunnelBytes,
      @Nullable String comparison) {
    public Session {
      Objects.requireNonNull(id);
    }

    /// The bytes of both directions.
    public long bytes() {
      return upBytes + downBytes;
    }

    /// The time until the latest record.
    public long milliseconds() {
      return startedAt == null || heardAt == null
          ? 0
          : Duration.between(startedAt, heardAt).toMillis();
    }

    /// The comparison, if the pages have words for it.
    public @Nullable String knownComparison() {
      return comparison != null && COMPARISONS.contains(comparison) ? comparison : null;
    }
  }
}
