package io.viaduct.service.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.viaduct.service.configuration.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Ed25519Test {
  // RFC 8032 section 7.1, TEST 1 to 3: secret key, public key.
  private static final String[][] VECTORS = {
    {
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    },
    {
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    },
    {
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    }
  };

  @TempDir Path folder;

  @Test
  void aPrivateKeyYieldsThePublicKeyOfRfc8032() throws Exception {
    for (String[] vector : VECTORS) {
      EdECPrivateKey key =
          (EdECPrivateKey)
              KeyFactory.getInstance("Ed25519")
                  .generatePrivate(
                      new EdECPrivateKeySpec(
                          NamedParameterSpec.ED25519, HexFormat.of().parseHex(vector[0])));
      KeyPair pair = Ed25519.pairOf(key);
      assertThat(HexFormat.of().formatHex(Ed25519.raw((EdECPublicKey) pair.getPublic())))
          .isEqualTo(vector[1]);
      byte[] raw = HexFormat.of().parseHex(vector[1]);
      assertThat(Ed25519.raw(Ed25519.publicKey(raw))).isEqualTo(raw);
    }
  }

  @Test
  void aKeyWrittenAndReadSignsWhatItsRawPublicKeyVerifies() throws Exception {
    KeyPair pair = Ed25519.generate();
    Path file = folder.resolve("report.key");
    Ed25519.writePrivate(file, pair.getPrivate());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    KeyPair read = Ed25519.readPair(file);
    byte[] report = "viaduct usage report\0".getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(read.getPrivate());
    signature.update(report);
    byte[] signed = signature.sign();
    PublicKey known = Ed25519.publicKey(Ed25519.raw((EdECPublicKey) pair.getPublic()));
    assertThat(verifies(known, report, signed)).isTrue();
    report[0]++;
    assertThat(verifies(known, report, signed)).isFalse();
    assertThatThrownBy(() -> Ed25519.writePrivate(file, pair.getPrivate()))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  private static boolean verifies(PublicKey key, byte[] text, byte[] signed) throws Exception {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(key);
    signature.update(text);
    return signature.verify(signed);
  }

  @Test
  void aKeyOfAnotherKindIsRefused() throws Exception {
    Path file = folder.resolve("ec.key");
    TestAuthority.secret(
        file,
        new CertificateBuilder()
            .ecp256()
            .subject("CN=x")
            .setIsCertificateAuthority(true)
            .buildSelfSigned()
            .getPrivateKeyPEM());
    assertThatThrownBy(() -> Ed25519.readPair(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("must hold an Ed25519 key, holds EC");
  }

  @Test
  void aRawKeyOfAnotherLengthIsRefused() {
    assertThatThrownBy(() -> Ed25519.publicKey(new byte[31]))
        .hasMessageContaining("must be 32 bytes, got 31");
  }
}
