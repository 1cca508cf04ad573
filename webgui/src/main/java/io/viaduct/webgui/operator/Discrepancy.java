package io.viaduct.webgui.operator;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A report whose SNAPT and device count the session with more than 5 % of difference.
///
/// @param snaptBytes bytes of the session up to the report, both directions, by the SNAPT
/// @param deviceBytes likewise, by the device
public record Discrepancy(
    String id,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String account,
    @Nullable Instant start,
    long snaptBytes,
    long deviceBytes,
    @Nullable String state,
    List<Note> notes) {
  private static final Set<String> STATES = Set.of("open", "investigated", "closed");

  public Discrepancy {
    Objects.requireNonNull(id);
    notes = List.copyOf(notes);
  }

  /// A step of an operator.
  public record Note(
      @Nullable String state,
      @Nullable String note,
      @Nullable String operator,
      @Nullable Instant at) {}

  /// The state, if the pages have a word for it.
  public @Nullable String knownState() {
    return state != null && STATES.contains(state) ? state : null;
  }
}
