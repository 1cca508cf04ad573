package io.viaduct.billing.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialKeysTest {
  private static final byte[] PLAIN =
      "thirty-two bytes of a digest ...".getBytes(StandardCharsets.US_ASCII);
  @TempDir Path folder;

  @Test
  void aMissingKeyIsCreatedForItsOwnerOnlyAndKept() throws Exception {
    Path file = folder.resolve("credential.key");
    CredentialKeys made = CredentialKeys.load(file, List.of());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    CredentialKeys again = CredentialKeys.load(file, List.of());
    assertThat(again.currentId()).isEqualTo(made.currentId());
    assertThat(again.open(made.currentId(), "alice", made.seal("alice", PLAIN))).isEqualTo(PLAIN);
  }

  @Test
  void aFormerKeyOpensAndDoesNotSeal() throws Exception {
    CredentialKeys old = CredentialKeys.load(folder.resolve("old"), List.of());
    CredentialKeys now = CredentialKeys.load(folder.resolve("new"), List.of(folder.resolve("old")));
    assertThat(now.currentId()).isNotEqualTo(old.currentId());
    byte[] sealed = old.seal("alice", PLAIN);
    assertThat(now.open(old.currentId(), "alice", sealed)).isEqualTo(PLAIN);
    assertThatThrownBy(() -> old.open(old.currentId(), "alice", now.seal("alice", PLAIN)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aValueOfAnotherOwnerOrAnAlteredOneDoesNotOpen() {
    CredentialKeys keys = CredentialKeys.load(folder.resolve("key"), List.of());
    byte[] sealed = keys.seal("alice", PLAIN);
    assertThatThrownBy(() -> keys.open(keys.currentId(), "bob", sealed))
        .isInstanceOf(IllegalStateException.class);
    sealed[20] ^= 1;
    assertThatThrownBy(() -> keys.open(keys.currentId(), "alice", sealed))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aKeyFileOpenToOthersOrWithoutAKeyIsRefusedByName() throws Exception {
    Path open = Files.writeString(folder.resolve("open"), "x");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> CredentialKeys.load(open, List.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("chmod 600");
    Path wrong = Files.writeString(folder.resolve("wrong"), "c2hvcnQ=");
    Files.setPosixFilePermissions(wrong, PosixFilePermissions.fromString("rw-------"));
    assertThatThrownBy(() -> CredentialKeys.load(wrong, List.of()))
        .hasMessageContaining("32 bytes in base64")
        .hasMessageNotContaining("c2hvcnQ=");
    assertThatThrownBy(() -> CredentialKeys.load(folder.resolve("no/such"), List.of()))
        .hasMessageContaining("cannot be made");
  }

  @Test
  void digestsAreThoseOfTheRfc() {
    // RFC 7616 section 3.9.1: Mufasa, realm http-auth@example.org, password Circle of Life
    Ha1 ha1 = Ha1.of("Mufasa", "http-auth@example.org", "Circle of Life");
    assertThat(HexFormat.of().formatHex(ha1.md5())).isEqualTo("3d78807defe7de2157e2b0b6573a855f");
    assertThat(ha1.sha256()).hasSize(32);
    assertThat(ha1.toString()).doesNotContain("3d78");
  }
}
