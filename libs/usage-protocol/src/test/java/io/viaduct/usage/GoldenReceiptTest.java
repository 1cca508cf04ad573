package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.UsageReport;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a receipt in docs/protocol.md with those that the code writes. The bytes
/// on the page come from an independent implementation (Python's cryptography), with the key of RFC
/// 8032 section 7.1, test 1.
class GoldenReceiptTest {
  private static final String KEY =
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  @Test
  void thePageShowsTheReceiptThatTheCodeWritesAndSigns() throws Exception {
    ByteString receipt =
        Receipt.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("00000000-0000-4000-8000-000000000001")
            .setEpoch(7)
            .setSequence(2)
            .setStartMs(1_790_000_000_000L)
            .setEndMs(1_790_000_060_000L)
            .setUpBytes(1_200)
            .setDownBytes(450_000)
            .build()
            .toByteString();
    SignedReceipt signed =
        SignedReceipt.newBuilder()
            .setReceipt(receipt)
            .setSignature(SignedMessage.RECEIPT.sign(key(), receipt))
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("receipt", hex(receipt))
        .containsEntry("signed-receipt", hex(signed.toByteString()));
  }

  @Test
  void thePageShowsTheRelaysOfAReport() throws Exception {
    UsageReport report =
        UsageReport.newBuilder()
            .addRelays(RelayedBytes.newBuilder().setAccount("bob").setBytes(1_200))
            .build();
    RelaysOfReport apart = RelaysOfReport.takeOut(report, key());
    assertThat(GoldenPage.messages())
        .containsEntry("relays-inside", hex(report.toByteString()))
        .containsEntry("relays", hex(apart.list()))
        .containsEntry("relays-digest", hex(apart.report().toByteString()));
  }

  private static PrivateKey key() throws GeneralSecurityException {
    return KeyFactory.getInstance("Ed25519")
        .generatePrivate(
            new EdECPrivateKeySpec(NamedParameterSpec.ED25519, HexFormat.of().parseHex(KEY)));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
