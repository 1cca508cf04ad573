package io.viaduct.cnapt;

import io.viaduct.host.linux.SystemCalls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import java.util.concurrent.FutureTask;

/// Runs the steps of the start that need no configuration, while another thread reads the
/// configuration. The steps compute curves, link foreign calls and load native libraries. A step
/// that fails here fails again where its result is needed, and is reported there. Numbers:
/// docs/measurements/start.md.
final class EarlyStart {
  private EarlyStart() {}

  /// Starts the steps, on their own thread.
  static void begin() {
    beside("early-start", EarlyStart::load);
  }

  /// Runs a part of the start in parallel with the others.
  static void beside(String name, Runnable task) {
    Thread.ofPlatform().name(name).daemon().start(new FutureTask<>(task, null));
  }

  private static void load() {
    TlsMaterial.warmUp();
    var unused = new SystemCalls();
    Ciphers.provider(AeadAlgorithm.AES_256_GCM);
  }
}
