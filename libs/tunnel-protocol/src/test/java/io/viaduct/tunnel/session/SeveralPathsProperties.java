package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.Example;

/// A session over paths with different loss, delay, order and copies, whose use and addresses
/// change all the time: each restored packet equals a sent one and arrives at most once. A failure
/// prints its seed.
class SeveralPathsProperties {
  private static final int PACKETS_PER_RUN = 20_000;
  private static final int[] ROUTES = {
    FlowRoute.ANY, FlowRoute.TWO_PATHS, FlowRoute.TWO_PATHS_WHILE_LOSING
  };

  @Example
  void noPathAndNoMoveCausesAWrongOrDoubledPacket() {
    SplittableRandom seeds = new SplittableRandom(SimulationProgress.SEED);
    SimulationProgress progress = new SimulationProgress("several paths");
    while (progress.goesOn()) {
      long seed = seeds.nextLong();
      Run run = new Run(seed);
      run.run();
      progress.ran(PACKETS_PER_RUN, run.sent, run.delivered);
    }
  }

  private static final class Run {
    private final long seed;
    private final SplittableRandom random;
    private final Map<Integer, byte[]> outstanding = new HashMap<>();
    private int number;
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
          check(rig.atSnapt);
          check(rig.atAgent);
        }
        heal(rig);
        check(rig.atSnapt);
        check(rig.atAgent);
      }
      assertThat(delivered).as("seed %d", seed).isPositive();
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
          int host = 10 + 50 * path + random.nextInt(50); // no two links share an address
          link.address = new InetSocketAddress("198.51.100." + host, 4_000);
          rig.probeAll();
        }
        case 3 -> link.losesUp = link.losesDown = random.nextInt(3) == 0;
        case 4, 5 -> rig.probeAll();
        case 6 -> rig.agent.pathChanged(path);
        case 7, 8 -> {
          int route = ROUTES[random.nextInt(ROUTES.length)];
          rig.agent.flows().forEach(flow -> rig.agent.route(flow, route, rig.nowNs));
        }
        default -> {}
      }
    }

    private void offer(PathsRig rig, TunnelSession by) {
      byte[] payload = new byte[random.nextInt(4, 1_200)];
      if (random.nextBoolean()) {
        random.nextBytes(payload);
      }
      BigEndian.putInt(payload, 0, number);
      PacketForge.Endpoints to = PacketForge.Endpoints.ipv4(5_000 + random.nextInt(20), 7, 53);
      byte[] packet = PacketForge.udp(by == rig.agent ? to : to.reversed(), payload);
      if (rig.offer(by, packet) == Verdict.QUEUED) {
        outstanding.put(number, packet);
        sent++;
      }
      number++;
    }

    /// Compares what arrived with what was sent, apart from the IPv4 header, whose identification
    /// the receiver chooses.
    private void check(List<byte[]> arrived) {
      for (byte[] packet : arrived) {
        int id = BigEndian.getInt(packet, PacketForge.payloadAt(packet));
        byte[] expected = outstanding.remove(id);
        assertThat(expected).as("seed %d, packet %d wrong or doubled", seed, id).isNotNull();
        assertThat(Arrays.copyOfRange(packet, 20, packet.length))
            .as("seed %d, packet %d", seed, id)
            .isEqualTo(Arrays.copyOfRange(expected, 20, expected.length));
        delivered++;
      }
      arrived.clear();
    }
  }
}
