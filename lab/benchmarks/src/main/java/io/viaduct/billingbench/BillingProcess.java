package io.viaduct.billingbench;

import io.viaduct.testbed.process.HttpProbe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// The packaged danum-billing in a process of its own.
final class BillingProcess implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofMinutes(10); // recovery of a large database
  private static final Duration POLL = Duration.ofMillis(100);

  /// Times of the ledger.
  enum Times {
    /// Settlement is no part of what is measured.
    WITHOUT_SETTLEMENT(
        """
        grace-time: 24h
        adjustment-time: 720h
        verification-period: 24h
        ledger-verification-period: 168h
        """),
    AS_SHIPPED("");

    private final String lines;

    Times(String lines) {
      this.lines = lines;
    }
  }

  private final Process process;
  private final int restPort;
  private final int grpcPort;

  private BillingProcess(Process process, int restPort, int grpcPort) {
    this.process = process;
    this.restPort = restPort;
    this.grpcPort = grpcPort;
  }

  /// Starts it and waits until it serves.
  ///
  /// @param name of its configuration file
  /// @param more lines of the configuration, with the section `database`
  static BillingProcess start(BillingFiles files, String name, Times times, String more)
      throws IOException {
    int[] ports = freePorts(3);
    Path file =
        Files.writeString(
            files.run().resolve(name + ".yml"),
            """
            rest: {port: %d}
            grpc: {port: %d}
            operations: {port: %d}
            tls: {certificate: %s, private-key: %s, trust: %s}
            operator: {password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: %s}
            charge-bound: 1000000000 # the bound of an account must not bound a load
            logging: {level: warn}
            %s%s
            """
                .formatted(
                    ports[0],
                    ports[1],
                    ports[2],
                    files.own().certificate(),
                    files.own().privateKey(),
                    files.own().trust(),
                    files.passwordFile(),
                    files.directory().resolve("credential.key"),
                    times.lines,
                    more));
    Path log = files.directory().resolve("billing.log");
    Process process =
        new ProcessBuilder(
                files.root().resolve("bin/danum-billing").toString(),
                "run",
                "--config",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try {
      await(process, "http://127.0.0.1:" + ports[2] + "/readyz", log);
      return new BillingProcess(process, ports[0], ports[1]);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /// Returns ports that are free now.
  static int[] freePorts(int count) throws IOException {
    ServerSocket[] sockets = new ServerSocket[count];
    int[] ports = new int[count];
    for (int i = 0; i < count; i++) {
      sockets[i] = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      ports[i] = sockets[i].getLocalPort();
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  private static void await(Process process, String ready, Path log) throws IOException {
    long endNs = System.nanoTime() + START_MAX.toNanos();
    while (HttpProbe.status(ready) != 200) {
      if (!process.isAlive() || System.nanoTime() - endNs > 0) {
        throw new IOException("billing does not serve: see " + log);
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  long pid() {
    return process.pid();
  }

  URI rest() {
    return URI.create("http://127.0.0.1:" + restPort);
  }

  int grpcPort() {
    return grpcPort;
  }

  /// Stops it as SIGTERM does.
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
