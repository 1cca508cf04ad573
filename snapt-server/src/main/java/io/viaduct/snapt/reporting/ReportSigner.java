package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.usage.RelaysOfReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.PrivateKey;

/// Signs reports with the SNAPT's report key ([SignedMessage]).
///
/// @param keyId id of the key, for the verifier
/// @param key Ed25519 private key
public record ReportSigner(String keyId, PrivateKey key) {
  /// Signs a report and puts it into an envelope, with its relays apart (ADR 0086). Deterministic:
  /// the same report gives the same bytes.
  ///
  /// @param token the token that the report names, or the default instance if it is unknown
  public SignedUsageReport sign(UsageReport report, SignedSessionToken token) {
    RelaysOfReport apart = RelaysOfReport.takeOut(report, key);
    ByteString bytes = apart.report().toByteString();
    SignedUsageReport.Builder envelope =
        SignedUsageReport.newBuilder()
            .setReport(bytes)
            .setSignature(SignedMessage.USAGE_REPORT.sign(key, bytes))
            .setKeyId(keyId)
            .setRelays(apart.list());
    return token.getToken().isEmpty() ? envelope.build() : envelope.setToken(token).build();
  }

  @Override
  public String toString() {
    return "ReportSigner(" + keyId + ")";
  }
}
