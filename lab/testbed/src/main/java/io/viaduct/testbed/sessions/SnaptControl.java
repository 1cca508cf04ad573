package io.viaduct.testbed.sessions;

import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.PortBytes;
import java.nio.file.Path;
import java.time.InstantSource;

/// The control traffic of idle sessions on one SNAPT, as `bench sessions` counts it: all IP bytes
/// between the devices and the SNAPT, with probes, TCP headers and acknowledgements.
public final class SnaptControl {
  private static final long SETTLE_MS = 3_000;

  private SnaptControl() {}

  /// Returns the bytes per second of one session.
  ///
  /// @param directory private to this measurement
  /// @param namespace with nothing else in it
  public static double bytesPerSession(
      Path root, Path directory, NetworkNamespace namespace, int sessions, int seconds)
      throws Exception {
    namespace.ip("route add blackhole " + Packets.NOWHERE);
    return namespace.call(() -> {
      var issuer = new TokenIssuer(InstantSource.system());
      try (var snapt =
              SnaptProcess.start(
                  root,
                  directory,
                  namespace,
                  sessions,
                  SnaptProcess.LOOPS,
                  issuer,
                  System::nanoTime);
          var generator =
              new Generator(
                  directory.resolve("ca.pem"), issuer, SharedSockets::new, System::nanoTime)) {
        generator.open(sessions);
        Thread.sleep(SETTLE_MS);
        long before = PortBytes.received("lo");
        long beginNs = System.nanoTime();
        Thread.sleep(seconds * 1_000L);
        double passed = (System.nanoTime() - beginNs) / 1e9;
        return (PortBytes.received("lo") - before) / passed / sessions;
      }
    });
  }
}
