package io.viaduct.tunnel.key;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Has the JVM compile the JDK's AES-256-GCM before packets need it. Interpreted it is a hundred
/// times slower than compiled, and a busy machine compiles late: seconds in which each superpacket
/// would stop its event loop for milliseconds. A thread of its own seals and opens until the JDK's
/// cipher is the faster one over long bodies; where it never is, libsodium keeps them.
final class ProviderWarmUp {
  private static final int LONG_BYTES = 16 * 1024;
  private static final int SHORT_BYTES = 2 * 1024;
  private static final int REPEATS = 100;
  private static final int BEST_OF = 5;
  private static final int ROUNDS_MAX = 500;
  private static final long PAUSE_NS = 2_000_000;

  private static volatile boolean faster;

  /// Loaded, and so started, with the first long body.
  private static final class Start {
    static final Thread THREAD =
        Thread.ofPlatform()
            .daemon()
            .name("aead-warm-up")
            .start(() -> faster = new ProviderWarmUp(System::nanoTime).warmUp());
  }

  private final LongSupplier nanoTime;
  private final EpochKey key =
      new EpochKey(
          AeadAlgorithm.AES_256_GCM,
          new byte[AeadAlgorithm.KEY_BYTES],
          new byte[AeadAlgorithm.NONCE_BYTES]);
  private final byte[] header = new byte[Long.BYTES];
  private final byte[] body = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private final byte[] sealed = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private long sequence;

  ProviderWarmUp(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Whether the JDK's cipher is the faster one over long bodies by now; the first call starts the
  /// warm-up. Any thread.
  static boolean isFaster() {
    return faster || Start.THREAD == null;
  }

  /// @return whether the JDK's cipher became the faster one
  boolean warmUp() {
    Aead provider = new ProviderAead(AeadAlgorithm.AES_256_GCM);
    Aead sodium = new SodiumAead(() -> false);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      for (int i = 0; i < REPEATS; i++) {
        pass(provider, SHORT_BYTES);
      }
      if (bestNs(provider) < bestNs(sodium)) {
        return true;
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
    return false;
  }

  private long bestNs(Aead of) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < BEST_OF; i++) {
      long began = nanoTime.getAsLong();
      pass(of, LONG_BYTES);
      best = Math.min(best, nanoTime.getAsLong() - began);
    }
    return best;
  }

  private void pass(Aead of, int bytes) {
    of.sealLong(key, sequence, header, body, 0, bytes, sealed);
    of.openLong(key, sequence, header, sealed, bytes + AeadAlgorithm.TAG_BYTES, body);
    sequence++;
  }
}
