package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptState;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a directory in docs/protocol.md with those that the code writes. The bytes
/// on the page come from an independent implementation (Python and OpenSSL), with the key of RFC
/// 8032 section 7.1, test 1.
class GoldenDirectoryTest {
  private static final String KEY =
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  @Test
  void thePageShowsTheDirectoryThatTheCodeWritesAndSigns() throws Exception {
    ByteString directory =
        Directory.newBuilder()
            .setVersion(1_790_000_000_000L)
            .addEntries(
                DirectoryEntry.newBuilder()
                    .setSnaptId("snapt-2")
                    .setHost("relay.test")
                    .setControlPort(443)
                    .setDataPort(443)
                    .setRegion("north")
                    .setState(SnaptState.DRAINING)
                    .setDrainDeadlineMs(1_790_000_060_000L)
                    .setLoadPercent(30)
                    .addAllSurcharges(List.of(0L, 0L, 0L, 2_500_000L)))
            .build()
            .toByteString();
    PrivateKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePrivate(
                new EdECPrivateKeySpec(NamedParameterSpec.ED25519, HexFormat.of().parseHex(KEY)));
    SignedDirectory signed =
        SignedDirectory.newBuilder()
            .setDirectory(directory)
            .setSignature(SignedMessage.SNAPT_DIRECTORY.sign(key, directory))
            .setKeyId("k1")
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("directory", hex(directory))
        .containsEntry("signed-directory", hex(signed.toByteString()));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
