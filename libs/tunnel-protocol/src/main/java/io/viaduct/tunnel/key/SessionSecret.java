package io.viaduct.tunnel.key;

import java.security.SecureRandom;
import java.util.Arrays;

/// Holds the 32 bytes that the SNAPT draws for a session and sends inside TLS. A session derives
/// its keys from them once; afterwards the holder wipes them. Never shown.
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

  /// Copies a secret. @throws IllegalArgumentException unless there are 32 bytes
  public static SessionSecret of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "session secret has " + bytes.length + " bytes, must have " + BYTES);
    }
    return new SessionSecret(bytes.clone());
  }

  /// Returns a copy, for the Welcome message.
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
