package io.viaduct.service.tls;

import io.viaduct.service.configuration.ConfigurationException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;

/// Converts Ed25519 keys (RFC 8032) between PEM files, the JDK's classes and the raw 32 bytes of
/// RFC 8032 section 5.1.2, which configurations and tokens contain.
public final class Ed25519 {
  /// Length of a raw public key in bytes.
  public static final int PUBLIC_KEY_LENGTH = 32;

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private Ed25519() {}

  /// Generates a pair from the system's source of randomness.
  public static KeyPair generate() {
    return generate(new SecureRandom());
  }

  /// Returns the pair of a private key.
  public static KeyPair pairOf(EdECPrivateKey key) {
    byte[] seed =
        key.getBytes()
            .orElseThrow(
                () -> new IllegalArgumentException("the private key does not give its bytes"));
    KeyPair pair = generate(new FixedRandom(seed));
    Arrays.fill(seed, (byte) 0);
    return pair;
  }

  /// Reads a PKCS#8 PEM file.
  ///
  /// @throws ConfigurationException naming the file and what it must hold
  public static KeyPair readPair(Path file) {
    PrivateKey key = PemFile.privateKey(file);
    if (key instanceof EdECPrivateKey ed && ed.getParams().getName().equals("Ed25519")) {
      return pairOf(ed);
    }
    throw new ConfigurationException(
        "%s: must hold an Ed25519 key, holds %s: openssl genpkey -algorithm ed25519"
            .formatted(file, key.getAlgorithm()));
  }

  /// Writes a PKCS#8 PEM file that only its owner can read. Fails if the file exists.
  public static void writePrivate(Path file, PrivateKey key) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
    Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    Files.writeString(
        file,
        "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n",
        StandardCharsets.US_ASCII,
        StandardOpenOption.WRITE);
  }

  /// Returns the 32 bytes of a public key: the y coordinate in little-endian order, the sign of x
  /// in the last bit.
  public static byte[] raw(EdECPublicKey key) {
    byte[] bigEndian = key.getPoint().getY().toByteArray();
    byte[] raw = new byte[PUBLIC_KEY_LENGTH];
    for (int i = 0; i < Math.min(raw.length, bigEndian.length); i++) {
      raw[i] = bigEndian[bigEndian.length - 1 - i];
    }
    if (key.getPoint().isXOdd()) {
      raw[PUBLIC_KEY_LENGTH - 1] |= (byte) 0x80;
    }
    return raw;
  }

  /// Returns the id of a key in logs and tokens: the first 16 hexadecimal digits of its SHA-256
  /// hash. The id distinguishes keys, but proves nothing.
  public static String id(byte[] raw) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(raw);
      return HexFormat.of().formatHex(Arrays.copyOf(hash, Long.BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Returns the key of 32 raw bytes. It does not check that they are a point of the curve: a key
  /// that is not verifies no signature.
  ///
  /// @throws IllegalArgumentException if `raw` does not have 32 bytes
  public static EdECPublicKey publicKey(byte[] raw) {
    if (raw.length != PUBLIC_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a raw Ed25519 public key must be 32 bytes, got " + raw.length);
    }
    byte[] bigEndian = new byte[PUBLIC_KEY_LENGTH];
    for (int i = 0; i < bigEndian.length; i++) {
      bigEndian[i] = raw[PUBLIC_KEY_LENGTH - 1 - i];
    }
    boolean odd = (bigEndian[0] & 0x80) != 0;
    bigEndian[0] &= 0x7f;
    try {
      return (EdECPublicKey)
          KeyFactory.getInstance("Ed25519")
              .generatePublic(
                  new EdECPublicKeySpec(
                      NamedParameterSpec.ED25519,
                      new EdECPoint(odd, new BigInteger(1, bigEndian))));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("not an Ed25519 public key: " + e.getMessage(), e);
    }
  }

  private static KeyPair generate(SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
      generator.initialize(NamedParameterSpec.ED25519, random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must offer Ed25519", e);
    }
  }

  /// Makes the key generator produce a known private key. The JDK has no other way to compute the
  /// public key of a private key.
  private static final class FixedRandom extends SecureRandom {
    private static final long serialVersionUID = 1L;
    private final byte[] seed;

    private FixedRandom(byte[] seed) {
      this.seed = seed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(seed, 0, bytes, 0, Math.min(seed.length, bytes.length));
    }
  }
}
