package io.viaduct.tunnel.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class FlowTableProperties {
  private static final int FLOWS_MAX = 300;

  @Property(tries = 20)
  void theTableAgreesWithAHashMap(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    VerdictCounters verdicts = new VerdictCounters();
    FlowTable table =
        new FlowTable(
            true,
            FLOWS_MAX,
            new FlowTimeouts(1L << 50, 1L << 50, 1L << 50),
            FlowListener.SILENT,
            verdicts);
    Map<Endpoints, FlowState> oracle = new HashMap<>();
    Map<List<Integer>, Endpoints> names = new HashMap<>();
    FlowKey key = new FlowKey();
    long nowNs = 0;
    for (int i = 0; i < 3_000; i++) {
      nowNs += random.nextInt(100_000_000);
      int host = random.nextInt(40);
      int port = random.nextInt(16);
      boolean ipv6 = random.nextBoolean();
      Endpoints to =
          names.computeIfAbsent(
              List.of(host, port, ipv6 ? 6 : 4),
              n -> ipv6 ? Endpoints.ipv6(port, host, 80) : Endpoints.ipv4(port, host, 80));
      if (random.nextInt(3) == 0) {
        FlowState held = oracle.remove(to);
        if (held != null) {
          table.end(held, FlowEnd.IDLE, nowNs);
          assertThat(table.byId(held.id())).isNull();
        }
      } else {
        ByteBuf packet = Unpooled.wrappedBuffer(PacketForge.udp(to, new byte[4]));
        key.parse(new IpPacket().set(packet, 0, packet.readableBytes()));
        FlowState found = table.lookup(key, nowNs);
        FlowState expected = oracle.get(to);
        if (expected != null) {
          assertThat(found).as("seed %d", seed).isSameAs(expected);
        } else if (oracle.size() < FLOWS_MAX) {
          assertThat(found).as("seed %d", seed).isNotNull();
          assertThat(found.remotePort()).isEqualTo(80);
          assertThat(found.devicePort()).isEqualTo(port);
          oracle.put(to, found);
        } else {
          assertThat(found).isNull();
        }
      }
      assertThat(table.size()).isEqualTo(oracle.size());
    }
    oracle.values().forEach(flow -> assertThat(table.byId(flow.id())).isSameAs(flow));
    List<FlowState> all = new ArrayList<>();
    table.forEach(all::add);
    assertThat(new HashSet<>(all)).isEqualTo(new HashSet<>(oracle.values()));
  }

  @Property(tries = 20)
  void anIdComesBackOnlyAfterThirtySeconds(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FlowIds ids = new FlowIds(1, 64);
    Map<Integer, Long> freedAt = new HashMap<>();
    Set<Integer> held = new HashSet<>();
    long nowNs = 0;
    for (int i = 0; i < 2_000; i++) {
      nowNs += random.nextLong(2_000_000_000L);
      if (random.nextBoolean() && !held.isEmpty()) {
        int id = held.iterator().next();
        held.remove(id);
        ids.free(id, nowNs);
        freedAt.put(id, nowNs);
      } else {
        int id = ids.next(nowNs);
        if (id != 0) {
          assertThat(held.add(id)).as("seed %d", seed).isTrue();
          assertThat(nowNs - freedAt.getOrDefault(id, -FlowIds.QUARANTINE_NS))
              .isGreaterThanOrEqualTo(FlowIds.QUARANTINE_NS);
        } else {
          assertThat(held.size() + freedAt.size()).isGreaterThanOrEqualTo(64);
        }
      }
    }
  }
}
