package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.tap.PacketHosts;
import io.viaduct.testbed.tap.PacketKind;
import io.viaduct.testbed.tap.PacketTap;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// A device that uses two SNAPTs, and ten more that it watches. Prints what the watching costs
/// while a call goes on, and what it costs while nothing is carried.
public final class Watching {
  /// Lines that this class prints, with a number.
  public static final String KBIT = "watching kbit/s";

  public static final String CORE_PERCENT = "watching percent of a core";
  public static final String IDLE_PACKETS = "packets of watching while idle";

  private static final int USED = 2;
  private static final int WATCHED = 10;
  private static final int WARM_SECONDS = 30;
  private static final int SECONDS = 30; // 16 handshakes
  private static final int TURNS = 3;
  private static final int ACCEPTED = 202;
  private static final int PAUSES_AFTER_SECONDS = 35; // without traffic, with a margin of 5 s

  private final MovingLab lab;
  private final long agent;

  private Watching(MovingLab lab) {
    this.lab = lab;
    agent = lab.deployment.process("cnapt").id();
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          NetworkPlan plan = NetworkPlan.STANDARD.withSnapts(USED + WATCHED);
          TwoSnapts snapts = TwoSnapts.start(clone, directory, "", plan);
          try (PacketTap linkA = tap(snapts.lab, "linkA");
              PacketTap linkB = tap(snapts.lab, "linkB")) {
            new Watching(snapts.lab).pass(snapts, List.of(linkA, linkB));
          }
        });
  }

  private void pass(TwoSnapts snapts, List<PacketTap> taps) throws Exception {
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> call = snapts.call(going::get);
    lab.startSnapts(USED + 1, USED + WATCHED);
    MovingLab.await(() -> watched() == WATCHED, WATCHED + " SNAPTs are watched");
    order("drain", 0); // a SNAPT that drains is in no list
    pause(WARM_SECONDS);
    double[] without = new double[TURNS + 1];
    double[] added = new double[TURNS];
    long bytes = 0;
    without[0] = corePercent();
    for (int turn = 0; turn < TURNS; turn++) {
      order("undrain", WATCHED);
      long before = seen(taps).bytes();
      double with = corePercent();
      bytes += seen(taps).bytes() - before;
      order("drain", 0);
      without[turn + 1] = corePercent();
      added[turn] = with - (without[turn] + without[turn + 1]) / 2; // the agent gets warmer
    }
    MovingLab.say("SNAPTs in use", used()); // on a busy machine, one of the ten may seem nearer
    MovingLab.say("agent without watching, percent of a core", Arrays.toString(without));
    MovingLab.say("added by watching, percent of a core", Arrays.toString(added));
    MovingLab.say(CORE_PERCENT, Median.of(Arrays.stream(added)));
    MovingLab.say(KBIT, bytes * 8 / 1e3 / (TURNS * SECONDS));
    order("undrain", WATCHED);
    going.set(false);
    MovingLab.say("call lost", call.get(30, TimeUnit.SECONDS).lost());
    pause(PAUSES_AFTER_SECONDS);
    long packets = seen(taps).packets();
    pause(SECONDS);
    MovingLab.say(IDLE_PACKETS, seen(taps).packets() - packets);
  }

  /// Lets the bridge order the SNAPTs that are not used, and waits until so many are watched.
  private void order(String verb, int watched) throws Exception {
    for (int number = USED + 1; number <= USED + WATCHED; number++) {
      String snapt = "snapt-" + number;
      MovingLab.await(
          () -> lab.orders.byBridge(snapt, verb) == ACCEPTED, "the bridge passes the order on");
    }
    MovingLab.await(() -> watched() == watched, watched + " SNAPTs are watched");
  }

  private List<String> used() throws IOException {
    return lab.agent
        .status()
        .path("snapts")
        .valueStream()
        .map(each -> each.path("snapt").asString(""))
        .toList();
  }

  /// Returns how many SNAPTs have been measured that are not used.
  private long watched() throws IOException {
    return lab.agent
        .status()
        .path("watchedSnapts")
        .valueStream()
        .filter(each -> each.path("roundTripMs").isNumber())
        .count();
  }

  /// Measures the agent's processor time for a while.
  private double corePercent() throws IOException {
    double before = ProcessUsage.cpuSeconds(List.of(agent));
    long startNs = System.nanoTime();
    pause(SECONDS);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    return 100 * (ProcessUsage.cpuSeconds(List.of(agent)) - before) / seconds;
  }

  private static void pause(int seconds) {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(endNs - System.nanoTime());
    }
  }

  private static PacketTap.Count seen(List<PacketTap> taps) {
    long bytes = 0;
    long packets = 0;
    for (PacketTap tap : taps) {
      for (PacketKind kind : PacketKind.values()) {
        PacketTap.Count count = tap.of(kind);
        bytes += count.bytes();
        packets += count.packets();
      }
    }
    return new PacketTap.Count(bytes, packets);
  }

  /// Counts the packets between the device and the SNAPTs that it does not use.
  private static PacketTap tap(MovingLab lab, String link) throws IOException {
    List<String> hosts = new ArrayList<>();
    for (int number = USED + 1; number <= USED + WATCHED; number++) {
      hosts.add(Topology.snapt(number));
      hosts.add(Topology.snapt6(number));
    }
    return PacketTap.on(lab.network.device, link, PacketHosts.of(hosts)::isAny);
  }
}
