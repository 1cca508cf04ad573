package io.viaduct.billing.settlement;

import java.util.List;

/// What became of one report.
public sealed interface PostResult {
  /// Committed.
  ///
  /// @param account that was billed
  /// @param chargeIds the charges, in the order of the flows
  /// @param skewedFlows flows whose measured delay was impossible
  /// @param signed false where the device's receipt is owed: the charge is provisional
  record Posted(String account, List<Long> chargeIds, int skewedFlows, boolean signed)
      implements PostResult {}

  /// The report was committed before without its receipt; now it is signed. Nothing was posted.
  record Signed(String account, List<Long> chargeIds) implements PostResult {}

  /// The same report was committed before; nothing was posted.
  ///
  /// @param receiptOwed it is still without its receipt
  record AlreadyPosted(boolean receiptOwed) implements PostResult {}

  /// Kept and not posted: the device's receipt or an operator decides.
  ///
  /// @param receiptOwed whether its sender must keep it until the receipt has come
  record Held(HoldReason why, String detail, boolean receiptOwed) implements PostResult {}

  /// Not taken now: its sender keeps it and sends it again.
  record Deferred(String detail) implements PostResult {}

  /// Never billed.
  record Refused(ReportRefusal why, String detail) implements PostResult {}
}
