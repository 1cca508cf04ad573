package io.viaduct.usage.statement;

import com.google.protobuf.ByteString;
import java.util.List;

/// The charge of one flow in the bill of a report, micro-denarii.
///
/// @param id billing's number of the charge
/// @param flow the flow in the SNAPT's report
/// @param bytes inner bytes of the flow, both directions
public record StatementCharge(
    long id,
    long flow,
    String application,
    String serviceClass,
    long bytes,
    long charge,
    long discount,
    long accessFee,
    long surcharge,
    long refund) {
  /// Returns what the payer pays for the flow.
  public long net() {
    return charge - discount + accessFee + surcharge - refund;
  }

  /// Returns the hash of a bill.
  ///
  /// @param bill charges by their numbers
  public static ByteString digest(List<StatementCharge> bill) {
    HashInput input = new HashInput("viaduct statement charges").number(bill.size());
    for (StatementCharge each : bill) {
      input
          .number(each.id)
          .number(each.flow)
          .text(each.application)
          .text(each.serviceClass)
          .number(each.bytes)
          .number(each.charge)
          .number(each.discount)
          .number(each.accessFee)
          .number(each.surcharge)
          .number(each.refund);
    }
    return input.result();
  }
}
