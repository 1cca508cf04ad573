package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.ControlSink;
import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.compound.RecordSink;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.HeaderContext;
import io.viaduct.tunnel.history.ReceiveHistory;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Turns the records of one received datagram back into packets, and accounts for each of its
/// bytes.
final class PacketRestorer implements RecordSink {
  private static final long UNKNOWN_SPACING_NS = 1_000_000;
  private static final long DELAY_LEAST_US = -5_000;
  private static final InnerPacketSink NOWHERE = (flow, packet, ip, length, gso, partial) -> {};

  private final LoopMemory memory;
  private final FlowTable flows;
  private final ControlQueue controls;
  private final ReceiveAccounts accounts;
  private final long[] verdicts;
  private final @Nullable ReceiveHistory received;
  private final ControlReceiver told;
  private final boolean fromDevice;
  private final SegmentClamp clamp;
  private final byte[] headers = new byte[HeaderWriter.HEADERS_MAX];
  private long peerOffsetUs;
  private boolean peerOffsetKnown;
  private long unknownNs = Long.MIN_VALUE / 2;

  // The datagram at hand.
  private InnerPacketSink sink = NOWHERE;
  private ServiceClass serviceClass = ServiceClass.HT_HD;
  private long sequence;
  private boolean newest;
  private long nowNs;
  private boolean hasStamp;
  private int stampUs;

  PacketRestorer(
      LoopMemory memory,
      FlowTable flows,
      ControlQueue controls,
      FlowStatsSchedule stats,
      SessionTotals totals,
      long[] verdicts,
      @Nullable ReceiveHistory received,
      ControlReceiver told,
      SegmentClamp clamp,
      boolean fromDevice) {
    this.memory = memory;
    this.flows = flows;
    this.controls = controls;
    this.accounts = new ReceiveAccounts(memory, stats, totals);
    this.verdicts = verdicts;
    this.received = received;
    this.told = told;
    this.fromDevice = fromDevice;
    this.clamp = clamp;
  }

  /// The peer's clock minus ours, as the path has found it.
  void peerOffset(long offsetUs) {
    peerOffsetUs = offsetUs;
    peerOffsetKnown = true;
  }

  /// Whether the last datagram said when it left.
  boolean hasStamp() {
    return hasStamp;
  }

  /// When the last datagram left, by the peer's clock.
  int stampUs() {
    return stampUs;
  }

  /// Takes the body of a DATA datagram, or of several FRAGMENTs.
  ///
  /// @param ofSequence of the first
  /// @param outerBytes of all, with their outer headers
  /// @param newestSoFar whether its sequence is above all before it
  /// @return ACCEPTED, MALFORMED, BAD_COMPRESSION or UNKNOWN_EPOCH
  Verdict restore(
      byte[] body,
      int length,
      ServiceClass ofClass,
      long ofSequence,
      boolean newestSoFar,
      int outerBytes,
      InnerPacketSink to,
      long now) {
    sink = to;
    serviceClass = ofClass;
    sequence = ofSequence;
    newest = newestSoFar;
    nowNs = now;
    accounts.begin(ofClass, now);
    told.begin(now);
    hasStamp = false;
    if (received != null) {
      received.begin(sequence, nowNs);
    }
    Verdict verdict = memory.reader.read(body, 0, length, received, this);
    accounts.settle(outerBytes);
    sink = NOWHERE;
    told.settle();
    return verdict;
  }

  private void count(Verdict verdict) {
    verdicts[verdict.ordinal()]++;
  }

  @Override
  public void stamp(int timeUs) {
    hasStamp = true;
    stampUs = timeUs;
    if (!peerOffsetKnown) {
      return;
    }
    // 32 bits of µs: right for any delay below 35 minutes.
    int delay = (int) (nowNs / 1000 + peerOffsetUs) - timeUs;
    if (delay < DELAY_LEAST_US) {
      count(Verdict.DELAY_SKEWED);
      return;
    }
    accounts.delay(delay);
  }

  @Override
  public void whole(
      int id,
      int generation,
      boolean install,
      int application,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    ByteBuf packet = memory.packet;
    packet.setBytes(LoopMemory.IP_OFFSET, bytes, at, length);
    FlowKey key = memory.key;
    if (!key.parse(packet, LoopMemory.IP_OFFSET, length)) {
      accounts.overhead(recordBytes);
      count(Verdict.NOT_IP);
      return;
    }
    FlowState flow = null;
    if (id != 0) {
      flow = flows.opened(id, key, newest);
      if (flow == null || flow.id() != id && flow.alias() != id) {
        if (flows.isOwn(id) && flows.byId(id) == null) {
          controls.flowEnd(id, nowNs);
        }
      } else if (install) {
        install(flow, id, generation, key);
      }
    }
    if (flow != null) {
      memory.coalescer.flush(flow);
      if (fromDevice) {
        flow.follow(serviceClass, application, sequence);
      }
      if (!key.portless() && flow.protocol() == FlowKey.TCP) {
        int flags = packet.getUnsignedByte(LoopMemory.IP_OFFSET + key.transportOffset() + 13);
        flows.tcpFlags(flow, fromDevice, flags);
      }
    }
    clamp.whole(packet, LoopMemory.IP_OFFSET, key);
    accounts.packets(flow, recordBytes, 1, length);
    count(Verdict.RESTORED);
    sink.packet(flow, packet, LoopMemory.IP_OFFSET, length, 0, false);
  }

  private void install(FlowState flow, int id, int generation, FlowKey key) {
    if (key.elidable()
        && flow.receiveContexts().install(generation, key.header(), sequence)
        && flow.receiveContexts().ackDue(generation, nowNs)) {
      controls.flowAck(id, generation, sequence, nowNs);
    }
  }

  /// The flow of an elided record, or null, counted and answered, if its context is not held.
  private @Nullable FlowState known(int id, int generation, int recordBytes) {
    FlowState flow = flows.byId(id);
    if (flow != null
        && flow.receiveContexts().context(generation, sequence) != HeaderContext.NONE) {
      if (fromDevice) {
        flow.follow(serviceClass, -1, sequence);
      }
      return flow;
    }
    refuse(Verdict.UNKNOWN_FLOW, recordBytes);
    if (nowNs - unknownNs >= UNKNOWN_SPACING_NS) {
      unknownNs = nowNs;
      controls.flowUnknown(id, generation, nowNs);
    }
    return null;
  }

  @Override
  public void elided(
      int kind,
      int id,
      int ecn,
      int generation,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    FlowState flow = known(id, generation, recordBytes);
    if (flow == null) {
      return;
    }
    long context = flow.receiveContexts().context(generation, sequence);
    boolean udp = kind == Record.UDP;
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int transport = length + (udp ? HeaderWriter.UDP_HEADER : 0);
    if (udp && flow.protocol() != FlowKey.UDP) {
      refuse(Verdict.UNKNOWN_FLOW, recordBytes);
      return;
    }
    if (ipBytes + transport > LoopMemory.DATAGRAM_BYTES_MAX) {
      refuse(Verdict.RECORD_TOO_BIG, recordBytes);
      return;
    }
    accounts.packets(flow, recordBytes, 1, ipBytes + transport);
    count(Verdict.RESTORED);
    if (!udp) {
      memory.coalescer.flush(flow);
    } else if (memory.coalescer.addDatagram(
        sink, flow, context, ecn, bytes, at, length, fromDevice)) {
      return;
    }
    ByteBuf packet = memory.packet;
    HeaderWriter.ip(
        headers, flow, context, ecn, transport, fromDevice, memory.coalescer.identifications(1));
    int headerBytes = ipBytes;
    if (udp) {
      headerBytes += HeaderWriter.udp(headers, ipBytes, flow, context, length, fromDevice);
    }
    packet.setBytes(LoopMemory.IP_OFFSET, headers, 0, headerBytes);
    packet.setBytes(LoopMemory.IP_OFFSET + headerBytes, bytes, at, length);
    boolean partial = udp && !HeaderContext.udpWithoutChecksum(context);
    sink.packet(flow, packet, LoopMemory.IP_OFFSET, headerBytes + length, 0, partial);
  }

  @Override
  public void tcp(
      int id,
      int ecn,
      int generation,
      TcpFields tcp,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    FlowState flow = known(id, generation, recordBytes);
    if (flow == null) {
      return;
    }
    if (flow.protocol() != FlowKey.TCP) {
      refuse(Verdict.UNKNOWN_FLOW, recordBytes);
      return;
    }
    long context = flow.receiveContexts().context(generation, sequence);
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int headerBytes = ipBytes + tcp.headerBytes();
    if (headerBytes + length > LoopMemory.DATAGRAM_BYTES_MAX) {
      refuse(Verdict.RECORD_TOO_BIG, recordBytes);
      return;
    }
    flows.tcpFlags(flow, fromDevice, tcp.flags());
    int segmentBytes = tcp.segmentBytes();
    int segments = segmentBytes == 0 ? 1 : (length + segmentBytes - 1) / segmentBytes;
    accounts.packets(flow, recordBytes, segments, segments * headerBytes + length);
    verdicts[Verdict.RESTORED.ordinal()] += segments;
    SegmentCoalescer coalescer = memory.coalescer;
    if (segments > 1) {
      coalescer.flush(flow);
    } else if (coalescer.add(sink, flow, context, ecn, tcp, bytes, at, length, fromDevice)) {
      return;
    }
    ByteBuf packet = memory.packet;
    int transport = tcp.headerBytes() + length;
    int identification = coalescer.identifications(segments);
    HeaderWriter.ip(headers, flow, context, ecn, transport, fromDevice, identification);
    HeaderWriter.tcp(headers, ipBytes, flow, context, tcp, bytes, length, fromDevice);
    packet.setBytes(LoopMemory.IP_OFFSET, headers, 0, headerBytes);
    packet.setBytes(LoopMemory.IP_OFFSET + headerBytes, bytes, at, length);
    clamp.elided(packet, LoopMemory.IP_OFFSET + ipBytes, tcp, flow.isIpv4());
    int gsoSize = segments > 1 ? segmentBytes : 0;
    sink.packet(flow, packet, LoopMemory.IP_OFFSET, headerBytes + length, gsoSize, true);
  }

  private void refuse(Verdict why, int recordBytes) {
    count(why);
    accounts.overhead(recordBytes);
  }

  @Override
  public ControlSink controls() {
    return told;
  }

  @Override
  public void control(int recordBytes) {
    accounts.overhead(recordBytes);
    count(Verdict.CONTROL_TAKEN);
  }
}
