package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Calls of an account whose seconds another node has counted, latest first.
public record CallList(List<Call> calls) {
  private static final Set<String> STATES = Set.of("open", "termination", "refusal", "lapse");
  private static final long MS = 1000;

  public CallList {
    calls = List.copyOf(calls);
  }

  /// A call.
  ///
  /// @param node node that carries it
  /// @param seconds seconds that were charged
  /// @param perSecondMicrodenarii price of a second
  public record Call(
      String id,
      @Nullable String node,
      @Nullable Instant startedAt,
      long seconds,
      MicroDenarii perSecondMicrodenarii,
      MicroDenarii chargeMicrodenarii,
      @Nullable String state) {
    public Call {
      Objects.requireNonNull(id);
      Objects.requireNonNull(perSecondMicrodenarii);
      Objects.requireNonNull(chargeMicrodenarii);
    }

    /// The time that was charged.
    public long milliseconds() {
      return seconds * MS;
    }

    /// The state, if the pages have a word for it.
    public @Nullable String knownState() {
      return state != null && STATES.contains(state) ? state : null;
    }
  }
}
