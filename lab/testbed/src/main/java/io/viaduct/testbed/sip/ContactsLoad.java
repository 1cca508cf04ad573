package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.Jcmd;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/// Registers as many contacts as a bridge of the standard configuration has room for, and lets all
/// of them expire within a few seconds, while probes show for how long it answers nobody.
///
/// @param count contacts, each of a user of its own
record ContactsLoad(Sipp sipp, BridgeServer server, NetworkNamespace namespace, int count) {
  private static final int RATE = 1_000; // registrations per second
  private static final int LEAST_SECONDS = 60; // shortest expiry that the bridge grants
  private static final int SPREAD_SECONDS = 4; // within which all expire
  private static final int CALM_SECONDS = 10;
  private static final int BESIDE_RATE = 100;
  private static final int MEMORY_SECONDS = 33; // for which a server keeps its answers: 64 * T1
  private static final int PATIENCE_SECONDS = 180;
  private static final long LOOK_MS = 250;

  /// The result of a run.
  ///
  /// @param registered contacts that the bridge had
  /// @param bytesEach live heap of each
  /// @param calm answers while nothing expires
  /// @param expiring answers while all expire
  /// @param left contacts that have not expired, but for those of the registrations beside
  /// @param registers registrations beside, all the time
  record Outcome(
      long registered,
      double bytesEach,
      OptionsProbe.Result calm,
      OptionsProbe.Result expiring,
      double longestTickMs,
      long left,
      SippResult registers) {}

  /// Returns a user of a list that billing imports. sipp names no User-Agent, so it is asked for
  /// MD5 (`sip.algorithms-by-user-agent`).
  static String subscriber(int number) {
    String user = user(number);
    String secret = user + ":" + Plans.DOMAIN + ":" + Sipp.password(user);
    try {
      byte[] ha1 = MessageDigest.getInstance("MD5").digest(secret.getBytes(StandardCharsets.UTF_8));
      return "  - {user: %s, ha1: {md5: \"%s\"}}%n".formatted(user, HexFormat.of().formatHex(ha1));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has MD5", e);
    }
  }

  private static String user(int number) {
    return "c" + number;
  }

  // The first to register stays longest.
  private String line(int number) {
    int left = (count - number + RATE - 1) / RATE;
    return "%s;%d"
        .formatted(Sipp.line(user(number)), LEAST_SECONDS + left + number % SPREAD_SECONDS);
  }

  Outcome run() throws Exception {
    server.start();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      long before = liveBytes();
      SippResult begun =
          sipp.register(server, IntStream.range(0, count).mapToObj(this::line).toList(), RATE);
      long registered = registered();
      System.err.printf(Locale.ROOT, "contacts: %d registered, %s%n", registered, begun);
      TimeUnit.SECONDS.sleep(MEMORY_SECONDS);
      double bytesEach = (double) (liveBytes() - before) / Math.max(1, registered);
      Future<SippResult> registers =
          threads.submit(() ->
              sipp.beside(
                  server,
                  SipScenario.REGISTER,
                  BESIDE_RATE,
                  LEAST_SECONDS - MEMORY_SECONDS + 2 * SPREAD_SECONDS));
      OptionsProbe.Result calm = ask(threads, this::stayCalm);
      awaitAtMost(registered - 1); // the first ones expire
      OptionsProbe.Result expiring = ask(threads, () -> awaitAtMost(Sipp.USERS));
      double longestTickMs = server.longestTickMs();
      long left = Math.max(0, registered() - Sipp.USERS);
      return new Outcome(
          registered, bytesEach, calm, expiring, longestTickMs, left, registers.get());
    } finally {
      server.close();
    }
  }

  /// Waits for something.
  private interface Wait {
    void end() throws Exception;
  }

  /// Asks until something has come to its end.
  private OptionsProbe.Result ask(ExecutorService threads, Wait wait) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    Future<OptionsProbe.Result> probe =
        threads.submit(() -> OptionsProbe.ask(namespace, server.port(), isOver::get));
    try {
      wait.end();
    } finally {
      isOver.set(true);
    }
    return probe.get();
  }

  // Looks as often as the wait for the expiry does, because a look costs the bridge time, too.
  private void stayCalm() throws IOException, InterruptedException {
    for (long ms = 0; ms < 1_000 * CALM_SECONDS; ms += LOOK_MS) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      var unused = registered();
    }
  }

  private void awaitAtMost(long contacts) throws IOException, InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (registered() > contacts && System.nanoTime() - endNs < 0) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }

  private long registered() throws IOException {
    return server.metric("viaduct_bridge_registrations");
  }

  private long liveBytes() throws IOException {
    return new Jcmd(server.processes().getFirst()).liveBytes();
  }
}
