package io.viaduct.bridge.reporting;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes reports as gRPC delivers them. Input: one octet, then the bytes. If bit 0 of the octet is
/// set, the SNAPT signs the bytes; else they are the whole signed report. Rules: a refusal has a
/// reason. No report is genuine without the SNAPT's signature. A genuine report names the sender
/// and all that billing needs.
final class ReportFuzz {
  private static final KeyPair KEY = Ed25519.generate();
  private static final Snapt SENDER =
      new Snapt(
          "snapt-1",
          Base64.getEncoder().encodeToString(Ed25519.raw((EdECPublicKey) KEY.getPublic())),
          "owner",
          "region",
          Optional.empty());
  private static final ProvenReport PROVEN = new ProvenReport();
  private static final ReportVerifier VERIFIER =
      new ReportVerifier(
          1 << 20, () -> TokenKeys.of(List.of(PROVEN.tokenKey())), ProvenReport.AUDIENCE);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    boolean signed = (input[0] & 1) != 0;
    ByteString rest = ByteString.copyFrom(input, 1, input.length - 1);
    try {
      var outcome =
          VERIFIER.verify(SENDER, signed ? signed(rest) : SignedUsageReport.parseFrom(rest));
      if (outcome instanceof ReportVerifier.Outcome.Genuine(UsageReport report)
          && (!signed || !isComplete(report) || !report.equals(UsageReport.parseFrom(rest)))) {
        throw new AssertionError((signed ? "genuine: " : "genuine without the key: ") + report);
      }
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
  }

  private static boolean isComplete(UsageReport report) {
    return report.getSnaptId().equals("snapt-1")
        && !report.getSessionId().isEmpty()
        && !report.getAccount().isEmpty()
        && Math.max(report.getSessionId().length(), report.getAccount().length()) <= 256
        && report.getSequence() >= 0
        && report.getEndMs() > report.getStartMs();
  }

  private static SignedUsageReport signed(ByteString report) {
    return SignedUsageReport.newBuilder()
        .setReport(report)
        .setSignature(SignedMessage.USAGE_REPORT.sign(KEY.getPrivate(), report))
        .setKeyId("k")
        .build();
  }

  private static byte[] input(int flags, ByteString bytes) {
    return ByteString.copyFrom(new byte[] {(byte) flags}).concat(bytes).toByteArray();
  }

  static List<byte[]> seeds() {
    UsageReport report =
        UsageReport.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("s")
            .setAccount("alice")
            .setEndMs(1)
            .build();
    SignedUsageReport forged =
        signed(report.toByteString()).toBuilder()
            .setSignature(ByteString.copyFrom(new byte[64]))
            .build();
    return List.of(
        input(0, forged.toByteString()),
        input(1, report.toByteString()),
        input(1, report.toBuilder().setSequence(-1).build().toByteString()),
        input(1, report.toBuilder().setEndMs(-1).build().toByteString()),
        input(1, report.toBuilder().setSnaptId("snapt-2").build().toByteString()));
  }
}
