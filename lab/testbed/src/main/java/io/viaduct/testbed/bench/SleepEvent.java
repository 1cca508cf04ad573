package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Command;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The device sleeps: its agent is frozen, and its links are down. Then it wakes, and a TCP
/// connection from before goes on.
///
/// @param lasts time of the sleep
record SleepEvent(Duration lasts) implements HandoverEvent {
  private static final int STROKE_BYTES = 48;
  private static final int WARM_UP = 20;
  private static final int TIMEOUT_MS = 60_000;
  private static final double BEYOND_MS_MAX = 50;

  @Override
  public String name() {
    return "sleep";
  }

  @Override
  public String title() {
    return "the device sleeps for %d min, its links are down".formatted(lasts.toMinutes());
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        HandoverGoal.of(Reading.RESUME_BEYOND_RTT, Statistic.WORST, BEYOND_MS_MAX),
        HandoverGoal.of(Reading.SESSIONS, Statistic.WORST, 0));
  }

  @Override
  public int repetitions() {
    return 2; // ten minutes each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    if (!(rig.peer() instanceof ViaductPeer viaduct)) {
      throw new IllegalArgumentException("only Viaduct's agent can be frozen here");
    }
    rig.onlyBy("A");
    rig.addLink("A", "B");
    long sessions = viaduct.made().sessions();
    try (ServerSocket listener = rig.network().far().call(() -> new ServerSocket(0))) {
      Thread.ofPlatform().daemon().name("echo").start(() -> echo(listener));
      int port = listener.getLocalPort();
      var target = InetAddress.getByName(rig.peer().target());
      try (Socket socket = rig.network().device().call(() -> new Socket(target, port))) {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        long roundTripNs = Long.MAX_VALUE;
        for (int i = 0; i < WARM_UP; i++) {
          roundTripNs = Math.min(roundTripNs, strokeNs(rig, socket, rig.nowNs()));
        }
        long resumedNs = strokeNs(rig, socket, sleep(rig, viaduct));
        var values = new LinkedHashMap<Reading, Double>();
        values.put(Reading.RESUME_BEYOND_RTT, (resumedNs - roundTripNs) / 1e6);
        values.put(Reading.SESSIONS, (double) viaduct.made().sessions() - sessions);
        return values;
      }
    }
  }

  private static void echo(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      socket.setTcpNoDelay(true);
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException("the echo ended", e);
    }
  }

  /// @return time at which the device woke
  private long sleep(MovingRig rig, ViaductPeer viaduct) throws Exception {
    String agent = Long.toString(viaduct.nearProcesses().getFirst());
    Command.run("kill", "-STOP", agent);
    TwoLines.LINKS.forEach(rig.links()::lose);
    rig.pause(lasts.toNanos());
    TwoLines.LINKS.forEach(rig.links()::restore);
    long wokenNs = rig.nowNs();
    Command.run("kill", "-CONT", agent);
    return wokenNs;
  }

  private static long strokeNs(MovingRig rig, Socket socket, long sinceNs) throws IOException {
    byte[] stroke = new byte[STROKE_BYTES];
    socket.getOutputStream().write(stroke);
    new DataInputStream(socket.getInputStream()).readFully(stroke);
    return rig.nowNs() - sinceNs;
  }
}
