package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;

/// Signs reports with the SNAPT's report key: Ed25519 (RFC 8032) over a label and the bytes of the
/// report, so that no signature made for another purpose passes for one of these.
///
/// @param keyId names the key to who checks
/// @param key Ed25519
public record ReportSigner(String keyId, PrivateKey key) {
  private static final byte[] LABEL = "viaduct usage report\0".getBytes(StandardCharsets.US_ASCII);

  /// Signs a report; deterministic, so the same report gives the same bytes.
  public SignedUsageReport sign(UsageReport report) {
    ByteString bytes = report.toByteString();
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key);
      signature.update(LABEL);
      signature.update(bytes.asReadOnlyByteBuffer());
      return SignedUsageReport.newBuilder()
          .setReport(bytes)
          .setSignature(ByteString.copyFrom(signature.sign()))
          .setKeyId(keyId)
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("an Ed25519 key that was checked at start must sign", e);
    }
  }

  @Override
  public String toString() {
    return "ReportSigner(" + keyId + ")";
  }
}
