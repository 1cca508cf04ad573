package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.Example;

/// A session over paths with different loss, delay, order and copies, whose use, addresses and
/// address families change all the time, and whose datagrams sometimes travel in the control
/// connection: each restored packet equals a sent one and arrives at most once. It carries UDP and
/// TCP over IPv4 and IPv6, on one path of its choice or of a rule, on two, spread packet by packet,
/// and on none. A failure prints its seed.
class SeveralPathsProperties {
  private static final int PACKETS_PER_RUN = 20_000;
  private static final int[] ROUTES = {
    FlowRoute.ANY,
    FlowRoute.TWO_PATHS,
    FlowRoute.TWO_PATHS_WHILE_LOSING,
    FlowRoute.SPREAD,
    FlowRoute.MOST_SPARE,
    FlowRoute.NONE,
    0,
    1,
    FlowRoute.bound(0),
    FlowRoute.bound(1)
  };
  private static final int UDP_FLOWS = 20;
  private static final int TCP_FLOWS = 4;
  private static final int TCP_FIRST = 6_000;
  private static final int ACK = 0x10;

  @Example
  void noPathAndNoMoveCausesAWrongOrDoubledPacket() {
    SplittableRandom seeds = new SplittableRandom(SimulationProgress.SEED);
    SimulationProgress progress = new SimulationProgress("several paths");
    int spread = 0;
    int numbered = 0;
    int byControl = 0;
    int overIpv6 = 0;
    while (progress.goesOn()) {
      long seed = seeds.nextLong();
      Run run = new Run(seed);
      run.run();
      progress.ran(PACKETS_PER_RUN, run.sent, run.delivered);
      spread += run.spread;
      numbered += run.numbered;
      byControl += run.byControl;
      overIpv6 += run.overIpv6;
    }
    assertThat(spread).as("flows that were spread, seed %d", SimulationProgress.SEED).isPositive();
    assertThat(numbered)
        .as("UDP flows that were spread, seed %d", SimulationProgress.SEED)
        .isPositive();
    assertThat(byControl).as("carried by TCP, seed %d", SimulationProgress.SEED).isPositive();
    assertThat(overIpv6).as("paths over IPv6, seed %d", SimulationProgress.SEED).isPositive();
  }

  private static final class Run {
    private final long seed;
    private final SplittableRandom random;
    private final Map<Integer, byte[]> outstanding = new HashMap<>();
    private final Map<Integer, Integer> sequences = new HashMap<>();
    private int number;
    int spread;
    int numbered;
    int byControl;
    int overIpv6;
    long sent;
    long delivered;

    Run(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
    }

    void run() {
      long[] delaysMs = random.longs(random.nextInt(2, 5), 1, 120).toArray();
      try (PathsRig rig = new PathsRig(8, delaysMs)) {
        rig.weather = random.split();
        rig.serviceClass = ServiceClass.of(random.nextInt(4));
        rig.links.forEach(this::spoil);
        rig.links.forEach(link -> link.address = address(link.path));
        rig.connect();
        rig.openAll();
        while (number < PACKETS_PER_RUN) {
          for (int batch = random.nextInt(1, 12); batch > 0; batch--) {
            offer(rig, random.nextBoolean() ? rig.agent : rig.snapt);
          }
          rig.agent.flushBatch(rig.nowNs);
          rig.snapt.flushBatch(rig.nowNs);
          rig.drain();
          rig.advanceMs(random.nextInt(4));
          perhapsAnEvent(rig);
          look(rig);
          check(rig.atSnapt);
          check(rig.atAgent);
        }
        heal(rig);
        check(rig.atSnapt);
        check(rig.atAgent);
      }
      assertThat(delivered).as("seed %d", seed).isPositive();
    }

    /// Counts what a run has seen, so that none of it is left out by accident.
    private void look(PathsRig rig) {
      byControl += rig.agent.carrier() == Carrier.CONTROL ? 1 : 0;
      overIpv6 += rig.links.stream().anyMatch(Run::isIpv6) ? 1 : 0;
      rig.agent
          .flows()
          .forEach(flow -> {
            spread += flow.isSpread() ? 1 : 0;
            numbered += flow.isSpread() && flow.protocol() == IpFields.UDP ? 1 : 0;
          });
    }

    private static boolean isIpv6(PathsRig.Link link) {
      return link.address.getAddress() instanceof Inet6Address;
    }

    /// Returns an address that no other link has, of either family.
    private InetSocketAddress address(int path) {
      int host = 10 + 50 * path + random.nextInt(50);
      String prefix = random.nextBoolean() ? "198.51.100." : "2001:db8::";
      return new InetSocketAddress(prefix + host, 4_000);
    }

    /// Makes all paths good again: then every packet must arrive.
    private void heal(PathsRig rig) {
      for (PathsRig.Link link : rig.links) {
        link.losesUp = false;
        link.losesDown = false;
        link.lossRatio = 0;
        link.jitterNs = 0;
        rig.agent.use(link.path, PathUse.YES, rig.nowNs);
      }
      for (int i = 0; i < 5; i++) {
        rig.agent.carryBy(Carrier.UDP); // repeated, as one may be lost
        rig.probeAll();
        rig.advanceMs(1_000);
      }
      check(rig.atSnapt);
      check(rig.atAgent);
      outstanding.clear();
      for (int i = 0; i < 50; i++) {
        offer(rig, i % 2 == 0 ? rig.agent : rig.snapt);
        rig.agent.flushBatch(rig.nowNs);
        rig.snapt.flushBatch(rig.nowNs);
        rig.drain();
        rig.advanceMs(20);
      }
      rig.advanceMs(1_000);
      check(rig.atSnapt);
      check(rig.atAgent);
      assertThat(outstanding.keySet()).as("seed %d, after the paths have healed", seed).isEmpty();
    }

    private void spoil(PathsRig.Link link) {
      link.lossRatio = random.nextInt(3) == 0 ? random.nextDouble(0.3) : 0;
      link.copyRatio = random.nextDouble(0.2);
      link.jitterNs = random.nextInt(2) == 0 ? random.nextLong(1, 50_000_000) : 0;
      link.delayNs = random.nextLong(1, 120_000_000);
    }

    private void perhapsAnEvent(PathsRig rig) {
      int path = random.nextInt(rig.links.size());
      PathsRig.Link link = rig.links.get(path);
      switch (random.nextInt(120)) {
        case 0 -> spoil(link);
        case 1 -> rig.use(path, PathUse.values()[random.nextInt(3)]);
        case 2 -> {
          link.address = address(path);
          rig.agent.outer(path, OuterHeader.of(link.address), rig.nowNs);
          rig.probeAll();
        }
        case 3 -> link.losesUp = link.losesDown = random.nextInt(3) == 0;
        case 4, 5 -> rig.probeAll();
        case 6 -> rig.agent.pathChanged(path);
        case 7, 8 -> {
          int route = ROUTES[random.nextInt(ROUTES.length)];
          rig.agent.flows().forEach(flow -> rig.agent.route(flow, route, rig.nowNs));
        }
        case 9 -> rig.agent.carryBy(random.nextBoolean() ? Carrier.CONTROL : Carrier.UDP);
        default -> {}
      }
    }

    private void offer(PathsRig rig, TunnelSession by) {
      byte[] payload = new byte[random.nextInt(4, 1_200)];
      if (random.nextBoolean()) {
        random.nextBytes(payload);
      }
      BigEndian.putInt(payload, 0, number);
      boolean isTcp = random.nextInt(3) == 0;
      int port = isTcp ? TCP_FIRST + random.nextInt(TCP_FLOWS) : 5_000 + random.nextInt(UDP_FLOWS);
      PacketForge.Endpoints up =
          port % 2 == 0
              ? PacketForge.Endpoints.ipv4(port, 7, 53)
              : PacketForge.Endpoints.ipv6(port, 7, 53);
      PacketForge.Endpoints to = by == rig.agent ? up : up.reversed();
      int flow = by == rig.agent ? port : -port;
      int sequence = sequences.getOrDefault(flow, 1_000);
      byte[] packet =
          isTcp ? PacketForge.tcp(to, sequence, ACK, payload) : PacketForge.udp(to, payload);
      if (rig.offer(by, packet) == Verdict.QUEUED) {
        outstanding.put(number, packet);
        sequences.put(flow, sequence + payload.length); // what was refused, TCP would send again
        sent++;
      }
      number++;
    }

    /// Compares what arrived with what was sent, apart from the IP header, whose identification the
    /// receiver chooses.
    private void check(List<byte[]> arrived) {
      for (byte[] packet : arrived) {
        int id = BigEndian.getInt(packet, PacketForge.payloadAt(packet));
        byte[] expected = outstanding.remove(id);
        assertThat(expected).as("seed %d, packet %d wrong or doubled", seed, id).isNotNull();
        int header = PacketForge.headerBytes(packet);
        assertThat(Arrays.copyOfRange(packet, header, packet.length))
            .as("seed %d, packet %d", seed, id)
            .isEqualTo(Arrays.copyOfRange(expected, header, expected.length));
        delivered++;
      }
      arrived.clear();
    }
  }
}
