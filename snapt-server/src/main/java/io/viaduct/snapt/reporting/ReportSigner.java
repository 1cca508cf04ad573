package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.PrivateKey;

/// Signs reports with the SNAPT's report key ([SignedMessage]).
///
/// @param keyId names the key to who checks
/// @param key Ed25519
public record ReportSigner(String keyId, PrivateKey key) {
  /// Signs a report and puts it into its envelope; deterministic, so the same report gives the same
  /// bytes.
  ///
  /// @param token the one that the report names; the default instance if it is not known
  public SignedUsageReport sign(UsageReport report, SignedSessionToken token) {
    ByteString bytes = report.toByteString();
    SignedUsageReport.Builder envelope =
        SignedUsageReport.newBuilder()
            .setReport(bytes)
            .setSignature(SignedMessage.USAGE_REPORT.sign(key, bytes))
            .setKeyId(keyId);
    return token.getToken().isEmpty() ? envelope.build() : envelope.setToken(token).build();
  }

  @Override
  public String toString() {
    return "ReportSigner(" + keyId + ")";
  }
}
