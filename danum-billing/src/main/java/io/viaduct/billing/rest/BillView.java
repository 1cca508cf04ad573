package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.BillLines;

/// The lines of a bill as the REST interface shows them.
record BillView(
    String chargeMicrodenarii,
    String discountMicrodenarii,
    String rewardMicrodenarii,
    String accessFeeMicrodenarii,
    String surchargeMicrodenarii,
    String promiseRefundMicrodenarii,
    String netMicrodenarii) {
  static BillView of(BillLines lines) {
    return new BillView(
        lines.charge().toString(),
        lines.discount().toString(),
        lines.reward().toString(),
        lines.accessFee().toString(),
        lines.surcharge().toString(),
        lines.refund().toString(),
        lines.net().toString());
  }
}
