package io.viaduct.tunnel.key;

import io.viaduct.tunnel.wire.BigEndian;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/// Key and iv of one direction and epoch. The class implements `SecretKey` itself, because
/// `SecretKeySpec` cannot be wiped.
@SuppressWarnings("serial") // never serialised: writeObject throws
public final class EpochKey implements SecretKey {
  private final AeadAlgorithm algorithm;
  private final byte[] key;
  private final byte[] iv;
  private @Nullable MemorySegment prepared;

  EpochKey(AeadAlgorithm algorithm, byte[] key, byte[] iv) {
    this.algorithm = algorithm;
    this.key = key;
    this.iv = iv;
  }

  @Override
  public String getAlgorithm() {
    return algorithm.keyAlgorithm();
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  /// Returns a copy, because the JDK's ciphers wipe the array that they get.
  @Override
  public byte[] getEncoded() {
    return key.clone();
  }

  /// Returns the first 4 bytes of each nonce: nonce = iv XOR (0^32 ‖ sequence).
  int nonceHigh() {
    return BigEndian.getInt(iv, 0);
  }

  /// Returns the last 8 bytes of a nonce.
  long nonceLow(long sequence) {
    return BigEndian.getLong(iv, Integer.BYTES) ^ sequence;
  }

  void nonce(long sequence, byte[] to) {
    BigEndian.putInt(to, 0, nonceHigh());
    BigEndian.putLong(to, Integer.BYTES, nonceLow(sequence));
  }

  /// Returns the key in the form that [Sodium] needs, made at the first use.
  MemorySegment prepared() {
    MemorySegment made = prepared;
    if (made == null) {
      made = Sodium.prepare(algorithm, key);
      prepared = made;
    }
    return made;
  }

  void wipe() {
    Arrays.fill(key, (byte) 0);
    Arrays.fill(iv, (byte) 0);
    if (prepared != null) {
      prepared.fill((byte) 0);
    }
  }

  private void writeObject(java.io.ObjectOutputStream to) throws java.io.IOException {
    throw new java.io.NotSerializableException("a key never leaves the process");
  }

  @Override
  public String toString() {
    return "(epoch key)";
  }
}
