package io.viaduct.tunnel.key;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Derives the keys of one direction, epoch after epoch: HKDF-SHA256 (RFC 5869) as in
/// docs/protocol.md "Keys". A chain value is wiped as soon as the next one is made. So a stolen key
/// opens no datagram of earlier epochs.
public final class KeyChain {
  private static final byte[] SALT = ascii("viaduct 1");
  private final AeadAlgorithm algorithm;
  private byte[] chain;

  public KeyChain(AeadAlgorithm algorithm, SessionSecret secret, Direction direction) {
    this.algorithm = algorithm;
    byte[] prk =
        derive(HKDFParameterSpec.ofExtract().addIKM(secret.bytes()).addSalt(SALT).extractOnly());
    chain = expand(prk, direction.label(), 32);
    Arrays.fill(prk, (byte) 0);
  }

  /// Returns the key of the next epoch (the first call: epoch 0).
  public EpochKey next() {
    EpochKey key =
        new EpochKey(
            algorithm,
            expand(chain, "key", AeadAlgorithm.KEY_BYTES),
            expand(chain, "iv", AeadAlgorithm.NONCE_BYTES));
    byte[] following = expand(chain, "next", 32);
    wipe();
    chain = following;
    return key;
  }

  public void wipe() {
    Arrays.fill(chain, (byte) 0);
  }

  private static byte[] expand(byte[] prk, String info, int bytes) {
    SecretKey key = new SecretKeySpec(prk, "HKDF-SHA256");
    return derive(HKDFParameterSpec.expandOnly(key, ascii(info), bytes));
  }

  /// A chain keeps no KDF: its objects would hold more memory than the chain of an idle session.
  private static byte[] derive(AlgorithmParameterSpec parameters) {
    try {
      return KDF.getInstance("HKDF-SHA256").deriveData(parameters);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java 25 has HKDF-SHA256, and this output fits", e);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
