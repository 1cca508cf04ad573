package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// A device with two SNAPTs, of which one is killed with SIGKILL while a connection uses it. Prints
/// how soon a new flow is served. The SNAPT comes back by itself, and the next kill follows.
public final class KilledSnapt {
  /// Line that this class prints at each kill, with a number.
  public static final String SERVED_MS = "new flow served after ms";

  /// Kills in one run; more in a minute would end the supervision of the SNAPT.
  public static final int KILLS = 4;

  private static final String PATIENCE = "control: {snapt-patience: 20s}\n";
  private static final int LINK_MBIT = 20;
  private static final long NEW_FLOW_NS = 10_000_000; // the resolution of the result
  private static final long PATIENCE_NS = 50_000_000_000L;
  private static final int EXCHANGES = 50;

  private final TwoSnapts snapts;

  KilledSnapt(TwoSnapts snapts) {
    this.snapts = snapts;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          TwoSnapts snapts = start(clone, directory);
          try (HeldConnection held = HeldConnection.open(snapts.lab)) {
            KilledSnapt day = new KilledSnapt(snapts);
            for (int kill = 0; kill < KILLS; kill++) {
              held.awaitTraffic(EXCHANGES);
              day.kill(day.carrier());
            }
          }
        });
  }

  /// Starts a laboratory in which a SNAPT that is away is given up after 20 s.
  static TwoSnapts start(Path clone, Path directory) throws Exception {
    return TwoSnapts.startApart(clone, directory, PATIENCE, LINK_MBIT);
  }

  /// Starts the same for a device with one session.
  static TwoSnapts startForOne(Path clone, Path directory) throws Exception {
    return TwoSnapts.startApartForOne(clone, directory, PATIENCE, LINK_MBIT);
  }

  /// Kills a SNAPT, measures, and waits until it is back.
  void kill(String snapt) throws Exception {
    String server = snapts.lab.server.further(); // new flows follow older ones to the same host
    long killedNs = System.nanoTime();
    snapts.lab.deployment.process(snapt).kill();
    MovingLab.say(SERVED_MS, served(server, killedNs));
    snapts.awaitBack(snapt, "the killed SNAPT is back");
  }

  /// Lets the gateway of a SNAPT drop its packets in both directions, measures, and lets them pass
  /// again.
  void partition(String snapt) throws Exception {
    String server = snapts.lab.server.further();
    boolean isFirst = snapt.equals("snapt-1");
    NetworkNamespace gateway = snapts.lab.network.gateway(isFirst ? "A" : "B");
    String address = isFirst ? Topology.SNAPT_1 : Topology.SNAPT_2;
    long cutNs = System.nanoTime();
    gateway.ip(
        "rule add pref 10 to %s blackhole\nrule add pref 11 from %s blackhole"
            .formatted(address, address));
    MovingLab.say("of which the cut itself took ms", (System.nanoTime() - cutNs) / 1_000_000);
    try {
      MovingLab.say(SERVED_MS, served(server, cutNs));
    } finally {
      gateway.ip("rule del pref 10\nrule del pref 11");
    }
    snapts.awaitBack(snapt, "the SNAPT that was cut off is back");
  }

  /// Returns the SNAPT of the held connection.
  String carrier() throws Exception {
    String remote = Topology.SERVER + ":" + HeldConnection.PORT;
    String snapt =
        TwoSnapts.snaptOf(snapts.flow(flow -> flow.path("remote").asString("").equals(remote)));
    return snapt.split(" ")[0];
  }

  /// Begins a flow every 10 ms, until one of them is answered.
  ///
  /// @return time of the first answer since the moment, in ms
  private long served(String server, long sinceNs) {
    var to = new InetSocketAddress(server, MovingLab.STREAM_PORT);
    return snapts.lab.network.device.call(() -> {
      List<DatagramChannel> flows = new ArrayList<>();
      try {
        while (System.nanoTime() - sinceNs < PATIENCE_NS) {
          DatagramChannel begun = DatagramChannel.open();
          flows.add(begun);
          begun.configureBlocking(false);
          begun.connect(to);
          begun.write(ByteBuffer.allocate(PacedStream.VOICE_BYTES));
          LockSupport.parkNanos(NEW_FLOW_NS);
          for (DatagramChannel each : flows) {
            if (each.read(ByteBuffer.allocate(PacedStream.VOICE_BYTES)) > 0) {
              return (System.nanoTime() - sinceNs) / 1_000_000;
            }
          }
        }
        throw new IllegalStateException("no new flow was answered for 50 s");
      } finally {
        for (DatagramChannel each : flows) {
          each.close();
        }
      }
    });
  }
}
