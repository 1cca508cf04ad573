package io.viaduct.bridge.reporting;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.bridge.BridgeConfiguration.Snapt;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;
import java.util.List;

/// Reports as gRPC delivers them. Rule: refused with a reason; without the SNAPT's key none is
/// genuine.
public final class ReportFuzz {
  private static final Snapt SENDER =
      new Snapt(
          "snapt-1",
          Base64.getEncoder()
              .encodeToString(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic())),
          "owner",
          "region");
  private static final ReportVerifier VERIFIER = new ReportVerifier(1 << 20);

  private ReportFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      var outcome = VERIFIER.verify(SENDER, SignedUsageReport.parseFrom(input));
      if (!(outcome instanceof ReportVerifier.Outcome.Refused)) {
        throw new AssertionError("genuine without the key: " + outcome);
      }
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
  }

  public static List<byte[]> seeds() {
    UsageReport report =
        UsageReport.newBuilder().setSnaptId("snapt-1").setAccount("alice").setEndMs(1).build();
    return List.of(
        SignedUsageReport.newBuilder()
            .setReport(report.toByteString())
            .setSignature(ByteString.copyFrom(new byte[64]))
            .setKeyId("k")
            .build()
            .toByteArray());
  }
}
