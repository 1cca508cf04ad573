package io.viaduct.webgui.tariff;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A trial of a tariff that runs in the background.
///
/// @param account null for all accounts
/// @param serviceClass null for all classes
/// @param coveredTo what began before it has been rated
/// @param failure why it failed, or empty
/// @param trial null until it has ended
public record TrialRun(
    String id,
    @Nullable String requestedBy,
    String name,
    Instant from,
    Instant to,
    @Nullable String account,
    @Nullable String serviceClass,
    String state,
    Instant startedAt,
    Instant coveredTo,
    @Nullable Instant finishedAt,
    @Nullable String failure,
    @Nullable TariffTrial trial) {
  private static final Set<String> STATES = Set.of("running", "done", "stopped", "failed");

  public TrialRun {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(from);
    Objects.requireNonNull(to);
    Objects.requireNonNull(state);
    Objects.requireNonNull(coveredTo);
  }

  record All(List<TrialRun> runs) {}

  /// The state, if the pages have a word for it.
  public @Nullable String knownState() {
    return STATES.contains(state) ? state : null;
  }
}
