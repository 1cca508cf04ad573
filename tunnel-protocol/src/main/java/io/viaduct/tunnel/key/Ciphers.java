package io.viaduct.tunnel.key;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Which cipher serves an algorithm here: libsodium's where it can be loaded, else the JDK's. ADR
/// 0016 has the numbers.
public final class Ciphers {
  /// The thread in which the JDK's cipher is compiled before it is used; it ends then.
  public static final String WARM_UP_THREAD = "aead-warm-up";

  private static final String NONE = "";
  private static final Map<AeadAlgorithm, String> OBSTACLES = new ConcurrentHashMap<>();

  private Ciphers() {}

  /// Why libsodium cannot serve an algorithm here, or [#NONE]. Told once: a class that could not be
  /// initialised does not tell why a second time.
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

  /// A new one, for one event loop.
  public static Aead fastest(AeadAlgorithm algorithm) {
    return obstacle(algorithm).equals(NONE)
        ? new SodiumAead(algorithm, ProviderWarmUp.isFaster(algorithm))
        : new ProviderAead(algorithm);
  }

  /// Who computes an algorithm here, for the log: the library, or the JDK and why.
  public static String provider(AeadAlgorithm algorithm) {
    String obstacle = obstacle(algorithm);
    return obstacle.equals(NONE) ? "libsodium" : "the JDK (" + obstacle + ")";
  }
}
