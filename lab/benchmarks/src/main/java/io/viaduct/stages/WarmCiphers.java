package io.viaduct.stages;

import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.wire.DatagramHeader;

/// Makes the ciphers of agent and SNAPT, and waits for the warm-up that starts with the first long
/// body. No stage should measure its garbage and time.
final class WarmCiphers {
  private static final int LONG_BYTES = 16_384;

  private WarmCiphers() {}

  static Aead fastest(AeadAlgorithm algorithm) {
    Aead aead = Ciphers.fastest(algorithm);
    var key =
        new KeyChain(algorithm, SessionSecret.of(new byte[SessionSecret.BYTES]), Direction.UP)
            .next();
    var sealed = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
    aead.sealLong(
        key, 0, new byte[DatagramHeader.LENGTH], new byte[LONG_BYTES], 0, LONG_BYTES, sealed);
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(Ciphers.WARM_UP_THREAD))
        .forEach(WarmCiphers::join);
    return aead;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while the cipher warms up", e);
    }
  }
}
