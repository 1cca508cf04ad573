package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.UsageReport;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/// Compares a bill with the report that it was made from: the one that the SNAPT has signed, with
/// the device's receipt of it, or the device's own.
final class ReportCheck {
  private final String account;
  private final Map<String, TreeSet<ByteString>> signers = new TreeMap<>(); // by SNAPT
  private long countersigned;
  private long withoutKey;
  private long byDevices;
  private long ofDevices;
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

  /// Returns how many reports of SNAPTs a device has signed, too.
  long byDevices() {
    return byDevices;
  }

  /// Returns how many bills were made from a device's own report.
  long ofDevices() {
    return ofDevices;
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
        finding.accept(Rule.REPORT, "the report is missing");
      }
      notKept++;
      return;
    }
    Fields fields = new Fields(line.json().path("report"));
    ByteString content = fields.base64("content");
    if (!sha256(content).equals(line.receipt().report())) {
      finding.accept(Rule.REPORT, "the report is not the one of the receipt: its digest differs");
    }
    try {
      if (fields.json().has("deviceKey")) {
        ofDevice(line, fields, DeviceReport.parseFrom(content), content, finding);
      } else {
        ofSnapt(line, fields, UsageReport.parseFrom(content), content, finding);
      }
    } catch (InvalidProtocolBufferException _) {
      finding.accept(Rule.REPORT, "the report cannot be read");
    }
  }

  private void ofSnapt(
      ReceiptLine line,
      Fields fields,
      UsageReport report,
      ByteString content,
      BiConsumer<Rule, String> finding) {
    ReportedUsage usage = ReportedUsage.of(report);
    usage.requireSame(line.receipt(), account, finding);
    requireSigned(fields, content, report, finding);
    if (line.isBillKept()) {
      usage.requireCharges("the SNAPT", line.charges(), finding);
    }
    if (fields.json().has("device")) {
      requireDevice(new Fields(fields.json().path("device")), report, finding);
    }
  }

  // Its SNAPT has not reported the interval.
  private void ofDevice(
      ReceiptLine line,
      Fields fields,
      DeviceReport report,
      ByteString content,
      BiConsumer<Rule, String> finding) {
    ReportedUsage usage = ReportedUsage.of(report);
    usage.requireSame(line.receipt(), account, finding);
    boolean isSigned =
        Keys.signer(
                SignedMessage.DEVICE_REPORT,
                List.of(fields.base64("deviceKey")),
                content,
                fields.base64("signature"))
            .isPresent();
    if (isSigned) {
      ofDevices++;
    } else {
      finding.accept(Rule.DEVICE, "the device has not signed its report");
    }
    if (line.isBillKept()) {
      usage.requireCharges("the device", line.charges(), finding);
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
