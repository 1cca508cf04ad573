package io.viaduct.cnapt;

import io.viaduct.host.linux.SystemCalls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import java.util.concurrent.FutureTask;

/// What every start needs and no configuration decides: curves are computed, foreign calls linked,
/// native libraries loaded, while another thread reads the configuration. What fails here fails
/// again, and is told, where it is needed. Numbers: docs/measurements.md, "Start and memory".
final class EarlyStart {
  private EarlyStart() {}

  /// Begins, on a thread of its own.
  static void begin() {
    beside("early-start", EarlyStart::load);
  }

  /// Runs a part of the start beside the others.
  static void beside(String name, Runnable task) {
    Thread.ofPlatform().name(name).daemon().start(new FutureTask<>(task, null));
  }

  private static void load() {
    TlsMaterial.rehearse();
    var unused = new SystemCalls();
    Ciphers.provider(AeadAlgorithm.AES_256_GCM);
  }
}
