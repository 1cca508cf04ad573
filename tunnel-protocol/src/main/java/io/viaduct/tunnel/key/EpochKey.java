package io.viaduct.tunnel.key;

import java.util.Arrays;
import javax.crypto.SecretKey;

/// Key and iv of one direction and epoch. A `SecretKey` of our own, because `SecretKeySpec` cannot
/// be wiped.
@SuppressWarnings("serial") // never serialised: writeObject throws
public final class EpochKey implements SecretKey {
  private final String algorithm;
  private final byte[] key;
  private final byte[] iv;

  EpochKey(AeadAlgorithm algorithm, byte[] key, byte[] iv) {
    this.algorithm = algorithm.keyAlgorithm();
    this.key = key;
    this.iv = iv;
  }

  @Override
  public String getAlgorithm() {
    return algorithm;
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  /// A copy: the JDK's ciphers wipe what they get.
  @Override
  public byte[] getEncoded() {
    return key.clone();
  }

  /// nonce = iv XOR (0^32 ‖ sequence).
  void nonce(long sequence, byte[] to) {
    for (int i = 0; i < 4; i++) {
      to[i] = iv[i];
    }
    for (int i = 0; i < 8; i++) {
      to[4 + i] = (byte) (iv[4 + i] ^ (byte) (sequence >>> 56 - 8 * i));
    }
  }

  void wipe() {
    Arrays.fill(key, (byte) 0);
    Arrays.fill(iv, (byte) 0);
  }

  private void writeObject(java.io.ObjectOutputStream to) throws java.io.IOException {
    throw new java.io.NotSerializableException("a key never leaves the process");
  }

  @Override
  public String toString() {
    return "(epoch key)";
  }
}
