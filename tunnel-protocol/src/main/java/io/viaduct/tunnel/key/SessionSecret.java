package io.viaduct.tunnel.key;

import java.security.SecureRandom;
import java.util.Arrays;

/// The 32 bytes that the SNAPT draws for a session and sends inside TLS. A session takes its keys
/// from it once; afterwards the holder wipes it. Never shown.
public final class SessionSecret {
  public static final int BYTES = 32;
  private final byte[] bytes;

  private SessionSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  public static SessionSecret draw(SecureRandom random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return new SessionSecret(bytes);
  }

  /// @throws IllegalArgumentException unless there are 32 bytes
  public static SessionSecret of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "session secret has " + bytes.length + " bytes, must have " + BYTES);
    }
    return new SessionSecret(bytes.clone());
  }

  /// A copy, for the Welcome message.
  public byte[] reveal() {
    return bytes.clone();
  }

  byte[] bytes() {
    return bytes;
  }

  public void wipe() {
    Arrays.fill(bytes, (byte) 0);
  }

  @Override
  public String toString() {
    return "(session secret)";
  }
}
