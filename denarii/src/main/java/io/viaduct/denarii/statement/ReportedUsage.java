package io.viaduct.denarii.statement;

import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/// The part of a SNAPT's or a device's report that a bill is compared with.
///
/// @param identity identity of the transaction that bills the report
/// @param account account that the report names
/// @param flows flows by their numbers
record ReportedUsage(String identity, String account, Map<Long, Flow> flows) {
  private static final String ANY_NUMBER = "device:#:";

  /// A flow.
  ///
  /// @param bytes inner bytes of both directions
  record Flow(String application, long bytes) {}

  static ReportedUsage of(UsageReport report) {
    Map<Long, Flow> flows = new HashMap<>();
    report
        .getFlowsList()
        .forEach(flow ->
            flows.put(
                Integer.toUnsignedLong(flow.getFlow()),
                new Flow(
                    flow.getApplication(),
                    flow.getUp().getPreBytes() + flow.getDown().getPreBytes())));
    return new ReportedUsage(
        identity(
            report.getSnaptId(), report.getSessionId(), report.getEpoch(), report.getSequence()),
        report.getAccount(),
        flows);
  }

  /// Returns the usage of a device's report. Billing's number of the report stands before the
  /// session, so that the SNAPT's report of the same interval has another identity.
  static ReportedUsage of(DeviceReport report) {
    Map<Long, Flow> flows = new HashMap<>();
    report
        .getFlowsList()
        .forEach(flow ->
            flows.put(
                Integer.toUnsignedLong(flow.getFlow()),
                new Flow(flow.getApplication(), flow.getUpBytes() + flow.getDownBytes())));
    return new ReportedUsage(
        identity(
            report.getSnaptId(),
            ANY_NUMBER + report.getSessionId(),
            report.getEpoch(),
            report.getSequence()),
        report.getAccount(),
        flows);
  }

  private static String identity(String snapt, String session, long epoch, long sequence) {
    return "report:%s/%s/%s/%s"
        .formatted(snapt, session, Long.toUnsignedString(epoch), Long.toUnsignedString(sequence));
  }

  void requireSame(StatementReceipt receipt, String payer, BiConsumer<Rule, String> finding) {
    String billed = receipt.identity().replaceFirst("/device:[0-9]+:", "/" + ANY_NUMBER);
    if (!identity.equals(billed) || !account.equals(payer)) {
      finding.accept(
          Rule.REPORT,
          "the report is %s of account '%s', the receipt is for %s of '%s'"
              .formatted(identity, account, receipt.identity(), payer));
    }
  }

  /// Compares each charge with its flow.
  ///
  /// @param reporter reporter's name in findings
  void requireCharges(
      String reporter, List<StatementCharge> charges, BiConsumer<Rule, String> finding) {
    Map<Long, Flow> uncharged = new HashMap<>(flows);
    for (StatementCharge charge : charges) {
      Flow flow = uncharged.remove(charge.flow());
      if (flow == null) {
        finding.accept(
            Rule.USAGE,
            "charge %d is for flow %d, which %s has not reported"
                .formatted(charge.id(), charge.flow(), reporter));
      } else if (!flow.equals(new Flow(charge.application(), charge.bytes()))) {
        finding.accept(
            Rule.USAGE,
            "charge %d is for %d bytes of '%s', %s has reported %d of '%s'"
                .formatted(
                    charge.id(),
                    charge.bytes(),
                    charge.application(),
                    reporter,
                    flow.bytes(),
                    flow.application()));
      }
    }
  }
}
