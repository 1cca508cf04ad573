package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.PrivateKey;

/// Signs reports with the SNAPT's report key ([SignedMessage]).
///
/// @param keyId names the key to who checks
/// @param key Ed25519
public record ReportSigner(String keyId, PrivateKey key) {
  /// Signs a report; deterministic, so the same report gives the same bytes.
  public SignedUsageReport sign(UsageReport report) {
    ByteString bytes = report.toByteString();
    return SignedUsageReport.newBuilder()
        .setReport(bytes)
        .setSignature(SignedMessage.USAGE_REPORT.sign(key, bytes))
        .setKeyId(keyId)
        .build();
  }

  @Override
  public String toString() {
    return "ReportSigner(" + keyId + ")";
  }
}
