package io.viaduct.billing.outbox;

import java.util.Arrays;
import java.util.List;

/// The kinds of events that webhooks tell. `V93__webhooks.sql`, `V150__discrepancy_events.sql` and
/// `V240__webhooks_of_revisions.sql` emit them.
public enum EventKind {
  BALANCE_LOW("balance.low"),
  BALANCE_EMPTY("balance.empty"),
  BALANCE_SUFFICIENT("balance.sufficient"),
  CAP_REACHED("cap.reached"),
  TOP_UP_POSTED("top-up.posted"),
  CREDIT_GIVEN("credit.given"),
  /// A bill of an interval was posted: that of its report, or one that a re-rating has made again.
  CHARGE_POSTED("charge.posted"),
  /// A discrepancy between a device and its SNAPT was opened. For operators only.
  REPORT_DISCREPANCY("report.discrepancy"),
  /// A report waits for a decision. For operators only.
  REPORT_HELD("report.held");

  private final String word;

  EventKind(String word) {
    this.word = word;
  }

  /// Returns the name that interfaces use, e.g. `balance.low`.
  public String word() {
    return word;
  }

  /// Returns the names of all kinds.
  public static List<String> words() {
    return Arrays.stream(values()).map(EventKind::word).toList();
  }
}
