package io.viaduct.tunnel.key;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Chooses the cipher for an algorithm: libsodium's where it can be loaded, else the JDK's. ADR
/// 0016 has the numbers.
public final class Ciphers {
  /// Name of the thread that makes the JVM compile the JDK's cipher before it is used, and then
  /// ends.
  public static final String WARM_UP_THREAD = "aead-warm-up";

  private static final String NONE = "";
  private static final Map<AeadAlgorithm, String> OBSTACLES = new ConcurrentHashMap<>();

  private Ciphers() {}

  /// Returns the reason why libsodium cannot serve an algorithm here, or [#NONE]. The reason is
  /// cached: the JVM reports the failure of a class's initialiser only once.
  private static String obstacle(AeadAlgorithm algorithm) {
    return OBSTACLES.computeIfAbsent(algorithm, Ciphers::probe);
  }

  private static String probe(AeadAlgorithm algorithm) {
    try {
      new EpochKey(
              algorithm, new byte[AeadAlgorithm.KEY_BYTES], new byte[AeadAlgorithm.NONCE_BYTES])
          .prepared()
          .address();
      return NONE;
    } catch (LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return String.valueOf(cause.getMessage());
    }
  }

  /// Returns a new cipher for one event loop.
  public static Aead fastest(AeadAlgorithm algorithm) {
    return obstacle(algorithm).equals(NONE)
        ? new SodiumAead(algorithm, ProviderWarmUp.isFaster(algorithm))
        : new ProviderAead(algorithm);
  }

  /// Returns the provider of an algorithm for the log: libsodium, or the JDK and the reason.
  public static String provider(AeadAlgorithm algorithm) {
    String obstacle = obstacle(algorithm);
    return obstacle.equals(NONE) ? "libsodium" : "the JDK (" + obstacle + ")";
  }
}
