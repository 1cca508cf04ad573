package io.viaduct.webgui.operator;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A report whose SNAPT and device count with more than 5 % of difference.
///
/// @param basis what both numbers count, in billing's word: the session up to the report, or its
///   interval
/// @param snaptBytes bytes of both directions by the SNAPT
/// @param deviceBytes likewise, by the device
public record Discrepancy(
    String id,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String account,
    @Nullable Instant start,
    @Nullable String basis,
    long snaptBytes,
    long deviceBytes,
    @Nullable String state,
    List<Note> notes) {
  private static final Set<String> BASES = Set.of("session", "interval");
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

  /// The basis, if the pages have a word for it.
  public @Nullable String knownBasis() {
    return basis != null && BASES.contains(basis) ? basis : null;
  }

  /// The state, if the pages have a word for it.
  public @Nullable String knownState() {
    return state != null && STATES.contains(state) ? state : null;
  }
}
