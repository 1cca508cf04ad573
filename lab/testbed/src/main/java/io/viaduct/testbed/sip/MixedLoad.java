package io.viaduct.testbed.sip;

import io.viaduct.testbed.process.Jcmd;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// All scenarios at a time at the bridge, with [BrokenPeers] beside them, for as long as it takes
/// to see whether anything grows.
///
/// @param rate exchanges per second of each scenario
/// @param seconds of all
record MixedLoad(
    Sipp sipp, BridgeServer server, NetworkNamespace namespace, int rate, int seconds) {
  /// States of the bridge that are compared: a third of them at the begin, a third at the end.
  static final int SAMPLES = 12;

  private static final long SEED = 1;

  /// One look at the bridge.
  ///
  /// @param liveMib objects that live after a full collection
  /// @param files open files and sockets
  /// @param dialogs calls, subscriptions and registrations
  record Sample(double liveMib, double threads, double files, double connections, double dialogs) {}

  /// The result of a run.
  ///
  /// @param sipp in the order of the scenarios
  /// @param brokenPeers connections that came and broke
  record Outcome(List<Sample> samples, List<SippResult> sipp, long brokenPeers) {}

  Outcome run() throws Exception {
    server.start();
    ServiceProcess callee = sipp.startCallee(server);
    BrokenPeers.Running broken = BrokenPeers.start(namespace, server.port(), SEED);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<SippResult>> loads = new ArrayList<>();
      for (SipScenario each : SipScenario.values()) {
        loads.add(threads.submit(() -> sipp.beside(server, each, rate, seconds)));
      }
      List<Sample> samples = samples();
      List<SippResult> results = new ArrayList<>();
      for (Future<SippResult> each : loads) {
        results.add(each.get());
      }
      return new Outcome(samples, results, broken.stop());
    } finally {
      callee.kill();
      server.close();
    }
  }

  /// Looks while the load lasts, and not at its very end.
  private List<Sample> samples() throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (int i = 1; i <= SAMPLES; i++) {
      TimeUnit.MILLISECONDS.sleep(1_000L * seconds / (SAMPLES + 1));
      Sample now = sample();
      samples.add(now);
      System.err.printf(Locale.ROOT, "mixed load, %d of %d: %s%n", i, SAMPLES, now);
    }
    return samples;
  }

  private Sample sample() throws IOException {
    long process = server.processes().getFirst();
    double liveMib = new Jcmd(process).liveBytes() / 1048576.0;
    Path files = Path.of("/proc", Long.toString(process), "fd");
    Path tasks = Path.of("/proc", Long.toString(process), "task");
    return new Sample(
        liveMib,
        count(tasks),
        count(files),
        server.metric("viaduct_bridge_sip_connections"),
        server.metric("viaduct_bridge_calls")
            + server.metric("viaduct_bridge_subscriptions")
            + server.metric("viaduct_bridge_registrations"));
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }
}
