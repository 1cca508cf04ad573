package io.viaduct.billing.tariff;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The time in which a version of the tariff is in force.
///
/// @param version the version
/// @param until end of the time, excluded; null without an end
/// @param state what it is now
public record TariffPeriod(TariffVersion version, @Nullable Instant until, State state) {
  /// State of a version at a moment.
  public enum State {
    PAST,
    IN_FORCE,
    SCHEDULED,
    /// It is never in force: a version that was stored later is valid from the same time on.
    SUPERSEDED
  }

  /// Returns the periods of all versions, in the order of the versions.
  public static List<TariffPeriod> of(List<TariffVersion> versions, Instant now) {
    List<TariffVersion> byStart =
        versions.stream()
            .sorted(
                Comparator.comparing(TariffVersion::effectiveFrom)
                    .thenComparing(TariffVersion::version))
            .toList();
    return IntStream.range(0, byStart.size())
        .mapToObj(i ->
            of(
                byStart.get(i),
                i + 1 < byStart.size() ? byStart.get(i + 1).effectiveFrom() : null,
                now))
        .sorted(Comparator.comparing(period -> period.version().version()))
        .toList();
  }

  private static TariffPeriod of(TariffVersion version, @Nullable Instant next, Instant now) {
    return new TariffPeriod(version, next, state(version.effectiveFrom(), next, now));
  }

  private static State state(Instant from, @Nullable Instant next, Instant now) {
    if (from.equals(next)) {
      return State.SUPERSEDED;
    }
    if (from.isAfter(now)) {
      return State.SCHEDULED;
    }
    return next == null || next.isAfter(now) ? State.IN_FORCE : State.PAST;
  }
}
