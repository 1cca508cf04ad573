package io.viaduct.billing.settlement;

import java.util.List;

/// What became of one report.
public sealed interface PostResult {
  /// Committed.
  ///
  /// @param account that was billed
  /// @param chargeIds the charges, in the order of the flows
  /// @param skewedFlows flows whose measured delay was impossible
  record Posted(String account, List<Long> chargeIds, int skewedFlows) implements PostResult {}

  /// The same report was committed before; nothing was posted.
  record AlreadyPosted() implements PostResult {}

  /// Never billed.
  record Refused(ReportRefusal why, String detail) implements PostResult {}
}
