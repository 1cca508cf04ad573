package io.viaduct.tunnel.key;

/// Which cipher serves an algorithm here: libsodium's AES-256-GCM where it can be loaded, else the
/// JDK's. ADR 0016 has the numbers.
public final class Ciphers {
  /// The thread in which the JDK's cipher is compiled before it is used; it ends then.
  public static final String WARM_UP_THREAD = "aead-warm-up";

  private static final String OBSTACLE = obstacle();

  private Ciphers() {}

  private static String obstacle() {
    try {
      EpochKey probe =
          new EpochKey(
              AeadAlgorithm.AES_256_GCM,
              new byte[AeadAlgorithm.KEY_BYTES],
              new byte[AeadAlgorithm.NONCE_BYTES]);
      probe.schedule().address();
      return "";
    } catch (LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return String.valueOf(cause.getMessage());
    }
  }

  /// A new one, for one event loop.
  public static Aead fastest(AeadAlgorithm algorithm) {
    return algorithm == AeadAlgorithm.AES_256_GCM && OBSTACLE.isEmpty()
        ? new SodiumAead(ProviderWarmUp::isFaster)
        : new ProviderAead(algorithm);
  }

  /// Who computes AES-256-GCM here, for the log: the library, or the JDK and why.
  public static String provider() {
    return OBSTACLE.isEmpty() ? "libsodium" : "the JDK (" + OBSTACLE + ")";
  }
}
