package io.viaduct.tunnel.compound;

import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.GoldenHistory;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.flow.SpreadState;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Makes bodies with one record of each kind, written by the encoder.
public final class GoldenRecords {
  private static final int FIRST_NUMBER = 0x010203;

  private GoldenRecords() {}

  public static Map<String, String> made() {
    Map<String, String> golden = new LinkedHashMap<>();
    byte[] hi = {'h', 'i'};
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    golden.put("body-open-udp", body(PacketForge.udp(to, hi), true, false));
    golden.put("body-udp", body(PacketForge.udp(to, hi), true, true));
    golden.put("body-tcp", body(PacketForge.tcp(to, 1, 0x18, hi), true, true));
    golden.put("body-ip-icmp", body(PacketForge.echo(to, 5, hi), true, true));
    golden.put("body-raw", body(PacketForge.udp(to, hi), false, false));
    golden.put("body-two-udp", two(PacketForge.udp(to, hi)));
    golden.put("body-numbered", numbered(PacketForge.udp(to, hi)));
    byte[] stamp = new byte[Record.STAMP_BLOCK_BYTES];
    ControlQueue.writeStampBlock(stamp, 0, 0x01020304);
    golden.put("block-stamp", HexFormat.of().formatHex(stamp));
    golden.put("control-flow-ack", control(q -> q.flowAck(300, 2, 0x1_0A0B_0C0DL, 0)));
    golden.put("control-flow-unknown", control(q -> q.flowUnknown(300, 2, 0)));
    golden.put("control-flow-end", control(q -> q.flowEnd(300, 0)));
    golden.put("control-flow-route", control(q -> q.flowRoute(300, 2, 0)));
    golden.put("control-flow-route-bound", control(q -> q.flowRoute(300, FlowRoute.bound(2), 0)));
    golden.put("control-flow-spread", control(q -> q.flowSpread(300, 0)));
    golden.put("control-flow-waited", control(q -> q.flowWaited(300, 250_000, 0)));
    golden.put("control-incomplete", control(q -> q.incomplete(300, 0)));
    golden.put("control-epoch", control(q -> q.epoch(GoldenHistory.announcement(), 0)));
    golden.put("control-epoch-unknown", control(q -> q.epochUnknown(3, 300, 0)));
    golden.put("dictionary-hash", GoldenHistory.dictionaryHash());
    golden.put("body-zstd-epoch", GoldenHistory.zstdBody());
    golden.put(
        "control-flow-stats",
        control(q -> {
          var sent = new io.viaduct.tunnel.flow.FlowCounters();
          var received = new io.viaduct.tunnel.flow.FlowCounters();
          sent.packets(3, 300, 40);
          received.packets(2, 200, 0);
          received.delay(-4);
          q.flowStats(1, sent, received, 0);
        }));
    return golden;
  }

  private static String control(Consumer<ControlQueue> writer) {
    ControlQueue queue = new ControlQueue();
    writer.accept(queue);
    byte[] bytes = new byte[ControlQueue.BYTES_MAX];
    return HexFormat.of().formatHex(bytes, 0, queue.drainTo(bytes, 0));
  }

  private static String two(byte[] packet) {
    return bodies(packet, true, true, 2).getFirst();
  }

  private static String body(byte[] packet, boolean withFlow, boolean acknowledged) {
    return bodies(packet, withFlow, acknowledged, 1).getFirst();
  }

  private static String numbered(byte[] packet) {
    return bodies(
            packet,
            true,
            true,
            1,
            flow -> {
              SpreadState spread = new SpreadState();
              spread.spread(0, 0);
              flow.spread(spread);
              for (int before = 0; before < FIRST_NUMBER; before++) {
                flow.takeNumber();
              }
            })
        .getFirst();
  }

  private static List<String> bodies(
      byte[] packet, boolean withFlow, boolean acknowledged, int times) {
    return bodies(packet, withFlow, acknowledged, times, flow -> {});
  }

  private static List<String> bodies(
      byte[] packet,
      boolean withFlow,
      boolean acknowledged,
      int times,
      Consumer<FlowState> prepared) {
    FlowTable flows =
        new FlowTable(
            true, 16, new FlowTimeouts(1, 1, 1), FlowListener.SILENT, new VerdictCounters());
    CompoundMemory memory = new CompoundMemory();
    HistoryMemory loop = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20);
    List<String> bodies = new ArrayList<>();
    CompoundWriter writer =
        new CompoundWriter(
            ServiceClass.LT_LD,
            1400,
            1000,
            CompoundWriter.Grouping.STORED,
            new ClassCodecs(loop.costs(), false),
            new BlockCompressor(memory, loop, null, false),
            memory,
            new ControlQueue(),
            (c, _) ->
                bodies.add(
                    HexFormat.of().formatHex(c.bytes(), c.bodyAt(), c.bodyAt() + c.bodyBytes())));
    PacketEncoder encoder = new PacketEncoder(1400, memory, (_, _) -> {});
    IpPacket inner = new IpPacket().set(Unpooled.wrappedBuffer(packet), 0, packet.length);
    FlowKey key = new FlowKey();
    key.parse(inner);
    @Nullable FlowState flow = withFlow ? flows.lookup(key, 0) : null;
    if (flow != null) {
      flow.classify(ServiceClass.LT_LD, 3);
      prepared.accept(flow);
      if (acknowledged) {
        int generation = flow.sendContexts().generation(key.header(), 0, true);
        flow.sendContexts().acknowledge(generation, 0, 1);
      }
    }
    for (int i = 0; i < times; i++) {
      encoder.encode(inner, key, flow, writer, 1, 0, 0);
    }
    writer.close(0);
    return bodies;
  }
}
