package io.viaduct.billing.settlement;

import io.viaduct.billing.tariff.ServiceClass;
import java.util.List;
import java.util.Map;

/// The result of posting one report.
public sealed interface PostResult {
  /// The report was billed and committed.
  ///
  /// @param account the billed account
  /// @param chargeIds the charges, in the order of the flows
  /// @param skewedFlows number of flows whose measured delay was impossible
  /// @param isSigned false if the device's receipt is missing: the charge is provisional
  /// @param beyondQuota bytes that were carried beyond any quota, by class
  record Posted(
      String account,
      List<Long> chargeIds,
      int skewedFlows,
      boolean isSigned,
      Map<ServiceClass, Long> beyondQuota)
      implements PostResult {}

  /// The report was committed earlier without its receipt and is signed now. No money moved.
  record Signed(String account, List<Long> chargeIds) implements PostResult {}

  /// The same report was committed earlier. No money moved.
  ///
  /// @param isReceiptOwed true if its receipt is still missing
  record AlreadyPosted(boolean isReceiptOwed) implements PostResult {}

  /// The report is stored but not posted. The device's receipt or an operator decides.
  ///
  /// @param isReceiptOwed true if the sender must keep the report until the receipt has come
  record Held(HoldReason why, String detail, boolean isReceiptOwed) implements PostResult {}

  /// The report was not accepted now. The sender keeps it and sends it again.
  record Deferred(String detail) implements PostResult {}

  /// The report is never billed.
  record Refused(ReportRefusal why, String detail) implements PostResult {}
}
