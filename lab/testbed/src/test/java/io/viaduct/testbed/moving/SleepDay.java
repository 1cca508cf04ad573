package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.RoundTrips;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [SleepLabIT]; prints what it sees. The device sleeps
/// longer than its token is valid, several times: its agent is frozen and its links are down. Then
/// it wakes, and a TCP connection from before the sleep goes on. Each link has a round trip of 20
/// ms.
public final class SleepDay {
  private static final int PORT = 7;
  private static final int STROKE_BYTES = 48;
  private static final int TIMEOUT_MS = 60_000;
  private static final long BEYOND_GRACE_NS = 12_000_000_000L;
  private static final long SETTLED_NS = 300_000_000;
  private static final double MS = 1_000_000;
  private static final long LOOK_NS = 10_000_000;

  private final MovingLab lab;
  private final long sleepNs;
  private final int times;

  private SleepDay(MovingLab lab, long sleepSeconds, int times) {
    this.lab = lab;
    this.sleepNs = sleepSeconds * 1_000_000_000;
    this.times = times;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          var lab = new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, "", "");
          lab.tokenLifetime(System.getenv(SleepLabIT.TOKEN));
          long seconds = Long.parseLong(System.getenv(SleepLabIT.SECONDS));
          new SleepDay(lab, seconds, Integer.parseInt(System.getenv(SleepLabIT.TIMES))).pass();
        });
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=10ms");
    lab.network.weather("B", "delay=10ms");
    lab.start();
    lab.agent.awaitUsed("linkA", "linkB");
    var unused =
        lab.network.server.start(
            "echo",
            () -> {
              RoundTrips.echo(Topology.SERVER, PORT);
              return true;
            });
    try (Socket socket = connected()) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MS);
      long roundTripNs = Long.MAX_VALUE;
      for (int i = 0; i < 20; i++) {
        roundTripNs = Math.min(roundTripNs, echo(socket, System.nanoTime()));
      }
      say("round trip", roundTripNs);
      long[] resumed = new long[times];
      for (int i = 0; i < times; i++) {
        long resumedNs = echo(socket, sleep());
        resumed[i] = resumedNs;
        say("from the resume to the echo", resumedNs);
        if (i == 0) {
          LockSupport.parkNanos(BEYOND_GRACE_NS); // also longer than an interval
          say("an echo after the grace", echo(socket, System.nanoTime()));
        }
      }
      Arrays.sort(resumed);
      say("median echo beyond a round trip", resumed[times / 2] - roundTripNs);
      say("slowest echo beyond a round trip", resumed[times - 1] - roundTripNs);
    }
    awaitCharges();
    MovingLab.say("carried and charged bytes", lab.agent.carriedBytes());
    MovingLab.say("sessions", lab.logged("snapt-1", " opened$"));
    MovingLab.say("ended sessions", lab.logged("snapt-1", " ended: "));
    MovingLab.say("refused reports", lab.logged("snapt-1", "report .* is (REJECTED|CONFLICT)"));
  }

  private void awaitCharges() throws Exception {
    try {
      MovingLab.await(
          () -> lab.agent.carriedBytes() == lab.chargedBytes(),
          "every carried byte is charged, and no other");
    } catch (IllegalStateException e) {
      MovingLab.say("carried bytes", lab.agent.carriedBytes());
      MovingLab.say("charged bytes", lab.chargedBytes());
      throw e;
    }
  }

  private static void say(String what, long ns) {
    MovingLab.say(what, "%.1f ms".formatted(ns / MS));
  }

  private Socket connected() throws Exception {
    Socket[] made = new Socket[1];
    MovingLab.await(
        () -> {
          try {
            made[0] = lab.network.device.call(() -> new Socket(Topology.SERVER, PORT));
            return true;
          } catch (UncheckedIOException | CompletionException | IllegalStateException _) {
            return false; // the echo server does not listen yet
          }
        },
        "the server takes connections");
    return made[0];
  }

  /// @return time of the resume
  private long sleep() throws Exception {
    LockSupport.parkNanos(
        SETTLED_NS); // otherwise the server repeats what the device has not confirmed
    String agent = Long.toString(lab.deployment.process("cnapt").id());
    Command.run("kill", "-STOP", agent);
    lab.network.loseLink("A");
    lab.network.loseLink("B");
    long endNs = System.nanoTime() + sleepNs;
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(LOOK_NS);
    }
    lab.network.restoreLink("A");
    lab.network.restoreLink("B");
    long wokenNs = System.nanoTime();
    Command.run("kill", "-CONT", agent);
    return wokenNs;
  }

  private static long echo(Socket socket, long sinceNs) throws IOException {
    byte[] stroke = new byte[STROKE_BYTES];
    socket.getOutputStream().write(stroke);
    new DataInputStream(socket.getInputStream()).readFully(stroke);
    return System.nanoTime() - sinceNs;
  }
}
