package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Fate;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// The first process of the laboratory of [SeveralLinksLabIT]; prints what it sees. Two links of 10
/// Mbit/s, with round trips of 20 and 60 ms: one TCP flow over one link and over both, then a
/// stream whose rule asks for two paths while both links lose 10 %.
public final class SeveralLinksDay {
  private static final long SEED = 20_261_126;

  /// Least rate of two equal links, as a multiple of one: less than an idle machine shows (1.7),
  /// more than chance.
  static final double GAIN_LEAST = 1.25;

  private static final double ONE_SECONDS = 10;
  private static final double BOTH_SECONDS = 10;
  private static final int PACKETS_PER_SECOND = 100;
  private static final int PACKETS = 1_000;
  private static final String POLICY =
      "policy: [{protocol: udp, ports: [%d], method: all}]\n".formatted(MovingLab.STREAM_PORT);
  private static final NetworkPlan PLAN = new NetworkPlan(1, NetworkPlan.CHANGEABLE.links(), SEED);

  private final MovingLab lab;

  private SeveralLinksDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new SeveralLinksDay(new MovingLab(clone, directory, PLAN, POLICY, "")).pass();
        });
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=10ms", "rate=10mbit", "queue=100p");
    lab.network.weather("B", "delay=30ms", "rate=10mbit", "queue=100p");
    lab.start();
    lab.agent.awaitUsed("linkA", "linkB");
    lab.network.loseLink("B");
    lab.agent.awaitUsed("linkA");
    Map<Way, Double> one = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      one.put(way, carried(way, ONE_SECONDS).mbitPerSecond());
      MovingLab.say("one link " + way + " Mbit/s", one.get(way));
    }
    lab.network.restoreLink("B");
    lab.agent.awaitUsed("linkA", "linkB");
    for (Way way : Way.values()) {
      Transfer typical = typical(way, GAIN_LEAST * one.get(way));
      MovingLab.say(way + " percent by link B", typical.percentByB());
      MovingLab.say(way + " gain", typical.mbitPerSecond() / one.get(way));
    }
    MovingLab.say("resequenced at the device", resequenced("cnapt"));
    MovingLab.say("resequenced at the SNAPT", resequenced("snapt-1"));
    for (String link : List.of("A", "B")) {
      lab.network.weather(link, "loss=10%");
    }
    copies();
  }

  /// A transfer over both links.
  ///
  /// @param percentByB percentage of the bytes that travelled by link B
  private record Transfer(double mbitPerSecond, long percentByB) {}

  /// Returns the median of three transfers over both links. When CUBIC's window outgrows one link
  /// is chance: a packet lost at the wrong moment costs it seconds. If two transfers reach the
  /// least rate, so does the median: then the slower of the two stands for it, without a third one.
  private Transfer typical(Way way, double leastMbitPerSecond) {
    List<Transfer> transfers = new ArrayList<>(List.of(overBoth(way), overBoth(way)));
    transfers.sort(Comparator.comparingDouble(Transfer::mbitPerSecond));
    if (transfers.getFirst().mbitPerSecond() > leastMbitPerSecond) {
      return transfers.getFirst();
    }
    transfers.add(overBoth(way));
    transfers.sort(Comparator.comparingDouble(Transfer::mbitPerSecond));
    return transfers.get(1);
  }

  private Transfer overBoth(Way way) {
    long[] before = {bytes("A", way), bytes("B", way)};
    double mbitPerSecond = carried(way, BOTH_SECONDS).mbitPerSecond();
    MovingLab.say("both links " + way + " Mbit/s", mbitPerSecond);
    double byA = bytes("A", way) - before[0];
    double byB = bytes("B", way) - before[1];
    return new Transfer(mbitPerSecond, Math.round(100 * byB / (byA + byB)));
  }

  private long resequenced(String service) throws Exception {
    return lab.deployment.metric(
        service, "viaduct_tunnel_verdicts_total{subject=\"record\",verdict=\"resequenced\"}");
  }

  private TcpStream.Carried carried(Way way, double seconds) {
    byte[] content = new byte[1 << 20];
    new Random(SEED).nextBytes(content);
    return new TcpStream(lab.network.device, lab.network.server, System::nanoTime)
        .run(Topology.SERVER, way, content, seconds);
  }

  private void copies() throws Exception {
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    long endNs = System.nanoTime() + PACKETS * 1_000_000_000L / PACKETS_PER_SECOND;
    PacedStream.Result seen =
        lab.network
            .device
            .start(
                "stream",
                () ->
                    PacedStream.run(
                        to,
                        new byte[PacedStream.VOICE_BYTES],
                        PACKETS_PER_SECOND,
                        () -> System.nanoTime() - endNs < 0,
                        System::nanoTime))
            .get(60, TimeUnit.SECONDS);
    MovingLab.say("sent by two paths", seen.sent());
    MovingLab.say("lost on both ways", seen.lost());
    String socket = lab.deployment.plans().socket("cnapt").toString();
    String flow = to.getAddress().getHostAddress() + ":" + to.getPort();
    System.out.println(lab.deployment.run("cnapt", "path", "explain", "--socket", socket, flow));
    System.out.println(
        lab.deployment.run(
            "cnapt", "path", "explain", "--socket", socket, to.getAddress().getHostAddress()));
  }

  private WeatheredCable cable(String link) {
    return lab.network.weatheredCables().stream()
        .filter(each -> each.link().name().equals(link))
        .findFirst()
        .orElseThrow();
  }

  private long bytes(String link, Way way) {
    var direction = way == Way.UP ? Direction.UP : Direction.DOWN;
    return cable(link).weathered().counters(direction).get(Fate.DELIVERED_BYTES);
  }
}
