package io.viaduct.bridge.cluster;

import io.viaduct.bridge.configuration.BridgesSettings;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;

/// The secret that the bridges of a domain share, or a random one of this run. Each use has a key
/// of its own (HKDF, RFC 5869).
public final class SharedKey {
  private static final int BYTES = 32;

  private final byte[] secret;

  private SharedKey(byte[] secret) {
    this.secret = secret;
  }

  static SharedKey of(BridgesSettings bridges) {
    return bridges
        .keyFile()
        .map(file -> new SharedKey(Base64.getDecoder().decode(file.reveal())))
        .orElseGet(SharedKey::random);
  }

  /// Makes a key that no other bridge has.
  public static SharedKey random() {
    byte[] octets = new byte[BYTES];
    new SecureRandom().nextBytes(octets);
    return new SharedKey(octets);
  }

  /// Returns the key of one use.
  ///
  /// @param use names it
  /// @param bytes length of the key
  public byte[] derive(String use, int bytes) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveData(
              HKDFParameterSpec.ofExtract()
                  .addIKM(secret)
                  .thenExpand(("viaduct " + use).getBytes(StandardCharsets.UTF_8), bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HKDF-SHA256", e);
    }
  }
}
