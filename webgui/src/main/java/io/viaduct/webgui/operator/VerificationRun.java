package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A verification of the ledger.
///
/// @param requestedBy operator who asked for it; null if billing made it by itself
/// @param done invariants that are checked already, of `total`
/// @param finishedAt null while it runs
/// @param failure why it could not be finished, or empty
/// @param holds true if all invariants hold; null until it is finished
public record VerificationRun(
    @Nullable String requestedBy,
    @Nullable Instant startedAt,
    int done,
    int total,
    @Nullable Instant finishedAt,
    @Nullable String failure,
    @Nullable Boolean holds,
    @Nullable Long transactions,
    @Nullable Long postings,
    List<Sum> sums,
    List<Check> checks) {
  public VerificationRun {
    sums = List.copyOf(sums);
    checks = List.copyOf(checks);
  }

  /// The sum of some accounts of the ledger.
  public record Sum(@Nullable String name, long accounts, MicroDenarii microdenarii) {}

  /// The result of one invariant.
  ///
  /// @param code its short name, by which pages find their words for it; null from an earlier
  ///   billing
  /// @param name the invariant in English words
  /// @param example the first row that breaks it, or empty
  public record Check(
      @Nullable String code,
      @Nullable String name,
      boolean holds,
      long violations,
      @Nullable String example) {}

  public boolean isRunning() {
    return finishedAt == null;
  }

  /// One word: `running`, `failed`, `well` or `broken`.
  public String outcome() {
    if (isRunning()) {
      return "running";
    }
    return holds == null ? "failed" : holds ? "well" : "broken";
  }

  /// The sum over all accounts, which must be 0.
  public MicroDenarii sum() {
    return new MicroDenarii(sums.stream().mapToLong(each -> each.microdenarii().value()).sum());
  }
}
