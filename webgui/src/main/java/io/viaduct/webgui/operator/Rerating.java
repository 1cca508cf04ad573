package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A run that makes bills of a past time again under another tariff.
///
/// @param account null for all accounts
/// @param serviceClass null for all classes
/// @param waiting intervals that are still to be rated
/// @param refunded intervals that keep their bill because of a refund
public record Rerating(
    String id,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable String account,
    @Nullable String serviceClass,
    int tariffVersion,
    @Nullable String reason,
    @Nullable String createdBy,
    @Nullable Instant createdAt,
    @Nullable String state,
    long waiting,
    long changed,
    long same,
    long refunded,
    long voided,
    Difference difference,
    List<String> keptIntervals) {
  private static final Set<String> STATES = Set.of("running", "stopped", "done");

  public Rerating {
    Objects.requireNonNull(id);
    Objects.requireNonNull(difference);
    keptIntervals = List.copyOf(keptIntervals);
  }

  /// What users pay more.
  public record Difference(MicroDenarii netMicrodenarii) {
    public Difference {
      Objects.requireNonNull(netMicrodenarii);
    }
  }

  /// The state, if the pages have a word for it.
  public @Nullable String knownState() {
    return state != null && STATES.contains(state) ? state : null;
  }
}
