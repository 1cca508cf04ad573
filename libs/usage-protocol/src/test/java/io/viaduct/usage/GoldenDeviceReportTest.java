package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedSessionToken;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a device's report in docs/protocol.md with those that the code writes,
/// with the key of RFC 8032 section 7.1, test 1.
class GoldenDeviceReportTest {
  private static final String KEY =
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  @Test
  void thePageShowsTheReportThatTheCodeWritesAndSigns() throws Exception {
    ByteString report =
        DeviceReport.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("00000000-0000-4000-8000-000000000001")
            .setEpoch(7)
            .setSequence(2)
            .setAccount("alice")
            .setIcid("icid-1")
            .setTokenId("t1")
            .setStartMs(1_790_000_000_000L)
            .setEndMs(1_790_000_060_000L)
            .addFlows(
                DeviceFlow.newBuilder()
                    .setFlow(1)
                    .setServiceClass(ServiceClass.HT_HD)
                    .setApplication("web")
                    .setProtocol(6)
                    .setUpBytes(1_200)
                    .setDownBytes(450_000)
                    .setDurationMs(60_000)
                    .setDelayMs(12.5))
            .build()
            .toByteString();
    PrivateKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePrivate(
                new EdECPrivateKeySpec(NamedParameterSpec.ED25519, HexFormat.of().parseHex(KEY)));
    SignedDeviceReport signed =
        SignedDeviceReport.newBuilder()
            .setReport(report)
            .setSignature(SignedMessage.DEVICE_REPORT.sign(key, report))
            .setToken(
                SignedSessionToken.newBuilder()
                    .setToken(ByteString.fromHex("0102"))
                    .setSignature(ByteString.fromHex("0304"))
                    .setKeyId("k1"))
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("device-report", hex(report))
        .containsEntry("signed-device-report", hex(signed.toByteString()));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
