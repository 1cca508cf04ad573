package io.viaduct.billing.provisioning;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// The keys that SIP credentials and secrets of webhooks are sealed with (AES-256-GCM, NIST SP
/// 800-38D). One key seals; former keys only open. Thread-safe.
///
/// A sealed value is 12 bytes of nonce, the ciphertext, and 16 bytes of tag. The nonce is random,
/// so one key may seal at most 2^32 values. The owner of the value is authenticated with it, so
/// that a row copied to another account does not open.
public final class CredentialKeys {
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int ID_BYTES = 8;

  private final String currentId;
  private final Map<String, SecretKeySpec> keys = new LinkedHashMap<>();
  private final SecureRandom random = new SecureRandom();

  private CredentialKeys(byte[] current, List<byte[]> former) {
    currentId = id(current);
    former.forEach(key -> keys.put(id(key), new SecretKeySpec(key, "AES")));
    keys.put(currentId, new SecretKeySpec(current, "AES"));
  }

  /// Reads the key files. Creates the current one with mode 600 if it is missing, as at the first
  /// start.
  ///
  /// @throws ConfigurationException naming file and rule
  public static CredentialKeys load(Path current, List<Path> former) {
    if (!Files.exists(current)) {
      generate(current);
    }
    return new CredentialKeys(read(current), former.stream().map(CredentialKeys::read).toList());
  }

  private static void generate(Path file) {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    try {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, Base64.getEncoder().encodeToString(key) + "\n");
    } catch (IOException e) {
      throw new ConfigurationException(
          "credentials.key-file %s does not exist and cannot be made (%s): make its directory writable for billing, or write 32 random bytes in base64 into it, mode 600"
              .formatted(file, e.getClass().getSimpleName()));
    }
  }

  private static byte[] read(Path file) {
    String line;
    try {
      line = Secret.of(file.toString()).reveal();
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException("credentials: " + e.getMessage());
    }
    byte[] key = decoded(line);
    if (key.length != KEY_BYTES) {
      throw new ConfigurationException(
          "credentials: %s must hold %d bytes in base64; openssl rand -base64 %d makes them"
              .formatted(file, KEY_BYTES, KEY_BYTES));
    }
    return key;
  }

  private static byte[] decoded(String line) {
    try {
      return Base64.getDecoder().decode(line);
    } catch (IllegalArgumentException _) {
      return new byte[0];
    }
  }

  /// Returns an id of a key that does not reveal the key.
  private static String id(byte[] key) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update("viaduct credential key".getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(Arrays.copyOf(sha256.digest(key), ID_BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /// Returns the id of the sealing key.
  public String currentId() {
    return currentId;
  }

  /// Returns the ids of all keys that can open a value.
  public Set<String> ids() {
    return Set.copyOf(keys.keySet());
  }

  /// Returns 32 secret octets for another purpose, which do not reveal the key: HMAC-SHA256 (RFC
  /// 2104) of the purpose, by the sealing key.
  public byte[] derive(String purpose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(keys.get(currentId));
      return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  /// Seals a value with the current key.
  ///
  /// @param owner owner of the value; [#open] needs the same
  public byte[] seal(String owner, byte[] plain) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = cipher(Cipher.ENCRYPT_MODE, currentId, nonce, owner, plain, 0);
    byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
    return whole;
  }

  /// Opens a sealed value.
  ///
  /// @throws IllegalStateException if there is no such key, or the value or its owner was altered
  public byte[] open(String keyId, String owner, byte[] sealed) {
    return cipher(
        Cipher.DECRYPT_MODE, keyId, Arrays.copyOf(sealed, NONCE_BYTES), owner, sealed, NONCE_BYTES);
  }

  private byte[] cipher(
      int mode, String keyId, byte[] nonce, String owner, byte[] input, int offset) {
    SecretKeySpec key = keys.get(keyId);
    if (key == null) {
      throw new IllegalStateException("no credential key with id " + keyId);
    }
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(owner.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input, offset, input.length - offset);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "a sealed secret does not open with key %s: the row of %s was altered"
              .formatted(keyId, owner),
          e);
    }
  }

  @Override
  public String toString() {
    return "CredentialKeys[current=" + currentId + "]";
  }
}
