package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.UsageReport;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/// Compares a bill with the report that the SNAPT has signed, and that with the device's receipt.
final class ReportCheck {
  private final String account;
  private final Map<String, TreeSet<ByteString>> signers = new TreeMap<>(); // by SNAPT
  private long countersigned;
  private long withoutKey;
  private long byDevices;
  private long notKept;

  ReportCheck(String account) {
    this.account = account;
  }

  /// Returns the keys that have signed reports, by SNAPT.
  Map<String, TreeSet<ByteString>> signers() {
    return signers;
  }

  /// Returns how many reports their SNAPT has signed.
  long countersigned() {
    return countersigned;
  }

  /// Returns how many reports are of SNAPTs whose key the file does not have.
  long withoutKey() {
    return withoutKey;
  }

  /// Returns how many reports a device has signed.
  long byDevices() {
    return byDevices;
  }

  /// Returns how many reports billing no longer keeps.
  long notKept() {
    return notKept;
  }

  void check(ReceiptLine line, BiConsumer<Rule, String> finding) {
    if (line.receipt().report().isEmpty()) {
      return;
    }
    if (!line.json().has("report")) {
      if (line.json().path("reportKept").asBoolean(true)) {
        finding.accept(Rule.REPORT, "the report of the SNAPT is missing");
      }
      notKept++;
      return;
    }
    Fields fields = new Fields(line.json().path("report"));
    ByteString content = fields.base64("content");
    UsageReport report;
    try {
      report = UsageReport.parseFrom(content);
    } catch (InvalidProtocolBufferException _) {
      finding.accept(Rule.REPORT, "the report cannot be read");
      return;
    }
    if (!sha256(content).equals(line.receipt().report())) {
      finding.accept(Rule.REPORT, "the report is not the one of the receipt: its digest differs");
    }
    requireSame(line, report, finding);
    requireSigned(fields, content, report, finding);
    if (line.isBillKept()) {
      requireUsage(line, report, finding);
    }
    if (fields.json().has("device")) {
      requireDevice(new Fields(fields.json().path("device")), report, finding);
    }
  }

  private void requireSame(ReceiptLine line, UsageReport report, BiConsumer<Rule, String> finding) {
    String identity =
        "report:%s/%s/%s/%s"
            .formatted(
                report.getSnaptId(),
                report.getSessionId(),
                Long.toUnsignedString(report.getEpoch()),
                Long.toUnsignedString(report.getSequence()));
    if (!identity.equals(line.receipt().identity()) || !report.getAccount().equals(account)) {
      finding.accept(
          Rule.REPORT,
          "the report is %s of account '%s', the receipt is for %s of '%s'"
              .formatted(identity, report.getAccount(), line.receipt().identity(), account));
    }
  }

  private void requireSigned(
      Fields fields, ByteString content, UsageReport report, BiConsumer<Rule, String> finding) {
    List<ByteString> keys = fields.base64List("snaptKeys");
    if (keys.isEmpty()) {
      withoutKey++;
      return;
    }
    Optional<ByteString> signer =
        Keys.signer(SignedMessage.USAGE_REPORT, keys, content, fields.base64("signature"));
    if (signer.isPresent()) {
      countersigned++;
      signers
          .computeIfAbsent(
              report.getSnaptId(),
              _ -> new TreeSet<>(ByteString.unsignedLexicographicalComparator()))
          .add(signer.get());
    } else {
      finding.accept(
          Rule.COUNTERSIGNATURE,
          "no key of SNAPT '" + report.getSnaptId() + "' has signed the report");
    }
  }

  private static void requireUsage(
      ReceiptLine line, UsageReport report, BiConsumer<Rule, String> finding) {
    Map<Long, FlowUsage> flows = new HashMap<>();
    report.getFlowsList().forEach(flow -> flows.put(Integer.toUnsignedLong(flow.getFlow()), flow));
    for (StatementCharge charge : line.charges()) {
      FlowUsage flow = flows.remove(charge.flow());
      if (flow == null) {
        finding.accept(
            Rule.USAGE,
            "charge %d is for flow %d, which the SNAPT has not reported"
                .formatted(charge.id(), charge.flow()));
      } else {
        long bytes = flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
        if (bytes != charge.bytes() || !flow.getApplication().equals(charge.application())) {
          finding.accept(
              Rule.USAGE,
              "charge %d is for %d bytes of '%s', the SNAPT has reported %d of '%s'"
                  .formatted(
                      charge.id(),
                      charge.bytes(),
                      charge.application(),
                      bytes,
                      flow.getApplication()));
        }
      }
    }
  }

  private void requireDevice(Fields fields, UsageReport report, BiConsumer<Rule, String> finding) {
    ByteString content = fields.base64("receipt");
    boolean isSigned =
        Keys.signer(
                SignedMessage.RECEIPT,
                List.of(fields.base64("key")),
                content,
                fields.base64("signature"))
            .isPresent();
    if (!isSigned || !isOf(content, report)) {
      finding.accept(
          Rule.DEVICE, "the device's receipt is not its signature of this report's bytes");
      return;
    }
    byDevices++;
  }

  private static boolean isOf(ByteString content, UsageReport report) {
    try {
      Receipt receipt = Receipt.parseFrom(content);
      long up = report.getFlowsList().stream().mapToLong(flow -> flow.getUp().getPreBytes()).sum();
      long down =
          report.getFlowsList().stream().mapToLong(flow -> flow.getDown().getPreBytes()).sum();
      return receipt.getSnaptId().equals(report.getSnaptId())
          && receipt.getSessionId().equals(report.getSessionId())
          && receipt.getEpoch() == report.getEpoch()
          && receipt.getSequence() == report.getSequence()
          && receipt.getUpBytes() == up
          && receipt.getDownBytes() == down;
    } catch (InvalidProtocolBufferException _) {
      return false;
    }
  }

  private static ByteString sha256(ByteString content) {
    try {
      return ByteString.copyFrom(
          MessageDigest.getInstance("SHA-256").digest(content.toByteArray()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
