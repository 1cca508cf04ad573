package io.viaduct.tunnel.key;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Makes the JVM compile the JDK's cipher before packets need it.
///
/// Interpreted, the cipher is a hundred times slower than compiled, and a busy machine compiles it
/// late. For seconds each superpacket would stop its event loop for milliseconds. So a thread of
/// its own seals and opens until the JDK's cipher is faster than libsodium over long bodies. If it
/// never is, libsodium stays in use. The thread pauses nine tenths of its time, for packets and for
/// the compiler.
final class ProviderWarmUp {
  private static final int LONG_BYTES = 16 * 1024;
  private static final int SHORT_BYTES = 1024;
  private static final int REPEATS = 20;
  private static final int BEST_OF = 2;
  private static final int ROUNDS_MAX = 2_500;
  private static final int PAUSE_PER_WORK = 9;

  private static final Map<AeadAlgorithm, Outcome> OUTCOMES = new ConcurrentHashMap<>();

  private final AeadAlgorithm algorithm;
  private final LongSupplier nanoTime;
  private final EpochKey key;
  private final byte[] header = new byte[Long.BYTES];
  private final byte[] body = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private final byte[] sealed = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private long sequence;

  ProviderWarmUp(AeadAlgorithm algorithm, LongSupplier nanoTime) {
    this.algorithm = algorithm;
    this.nanoTime = nanoTime;
    key =
        new EpochKey(
            algorithm, new byte[AeadAlgorithm.KEY_BYTES], new byte[AeadAlgorithm.NONCE_BYTES]);
  }

  /// Returns whether the JDK's cipher is the faster one over long bodies by now. The answer holds
  /// for the process, and any thread may ask. The first question starts the warm-up.
  static BooleanSupplier isFaster(AeadAlgorithm algorithm) {
    return OUTCOMES.computeIfAbsent(algorithm, Outcome::new);
  }

  private static final class Outcome implements BooleanSupplier {
    private final AeadAlgorithm algorithm;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean faster;

    Outcome(AeadAlgorithm algorithm) {
      this.algorithm = algorithm;
    }

    @Override
    public boolean getAsBoolean() {
      if (!faster && !started.get() && started.compareAndSet(false, true)) {
        Thread.ofPlatform()
            .daemon()
            .name(Ciphers.WARM_UP_THREAD)
            .start(() -> faster = new ProviderWarmUp(algorithm, System::nanoTime).warmUp());
      }
      return faster;
    }
  }

  /// Runs the warm-up. @return true if the JDK's cipher became the faster one
  boolean warmUp() {
    Aead provider = new ProviderAead(algorithm);
    Aead sodium = new SodiumAead(algorithm, () -> false);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      long beganNs = nanoTime.getAsLong();
      for (int i = 0; i < REPEATS; i++) {
        pass(provider, SHORT_BYTES);
      }
      if (bestNs(provider) < bestNs(sodium)) {
        return true;
      }
      LockSupport.parkNanos(PAUSE_PER_WORK * (nanoTime.getAsLong() - beganNs));
    }
    return false;
  }

  private long bestNs(Aead of) {
    long bestNs = Long.MAX_VALUE;
    for (int i = 0; i < BEST_OF; i++) {
      long beganNs = nanoTime.getAsLong();
      pass(of, LONG_BYTES);
      bestNs = Math.min(bestNs, nanoTime.getAsLong() - beganNs);
    }
    return bestNs;
  }

  private void pass(Aead of, int bytes) {
    of.sealLong(key, sequence, header, body, 0, bytes, sealed);
    of.openLong(key, sequence, header, sealed, bytes + AeadAlgorithm.TAG_BYTES, body);
    sequence++;
  }
}
