package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.ControlSink;
import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.compound.RecordSink;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.dictionary.ReceiveHistory;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.HeaderContext;
import io.viaduct.tunnel.metering.FlowStatsSchedule;
import io.viaduct.tunnel.metering.ReceiveAccounts;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.path.PeerClock;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import org.jspecify.annotations.Nullable;

/// Turns the records of one received datagram back into packets, and accounts for each of its
/// bytes.
public final class PacketRestorer implements RecordSink {
  private static final long UNKNOWN_SPACING_NS = 1_000_000;
  private static final long DELAY_LEAST_US = -5_000;
  private static final InnerPacketSink NOWHERE = (flow, packet) -> {};

  private final RestoreMemory memory;
  private final FlowTable flows;
  private final ControlQueue controls;
  private final ReceiveAccounts accounts;
  private final VerdictCounters verdicts;
  private final @Nullable ReceiveHistory received;
  private final ControlReceiver controlReceiver;
  private final Resequencer resequencer;
  private final Resequencer.Delivery delivery = this::deliver;
  private final boolean fromDevice;
  private final SegmentClamp clamp;
  private final PeerClock peerClock;
  private long unknownNs = Long.MIN_VALUE / 2;

  // The datagram that is being read.
  private InnerPacketSink sink = NOWHERE;
  private boolean hasStamp;
  private int stampUs;

  public PacketRestorer(
      RestoreMemory memory,
      FlowTable flows,
      ControlQueue controls,
      FlowStatsSchedule stats,
      SessionTotals totals,
      VerdictCounters verdicts,
      @Nullable ReceiveHistory received,
      ControlReceiver controlReceiver,
      Resequencer resequencer,
      SegmentClamp clamp,
      PeerClock peerClock,
      boolean fromDevice) {
    this.memory = memory;
    this.flows = flows;
    this.controls = controls;
    this.accounts = new ReceiveAccounts(memory.touched, stats, totals);
    this.verdicts = verdicts;
    this.received = received;
    this.controlReceiver = controlReceiver;
    this.resequencer = resequencer;
    this.fromDevice = fromDevice;
    this.clamp = clamp;
    this.peerClock = peerClock;
  }

  /// Returns whether the last datagram carried a stamp.
  public boolean hasStamp() {
    return hasStamp;
  }

  /// Returns the time at which the last datagram left, by the peer's clock.
  public int stampUs() {
    return stampUs;
  }

  /// Restores the packets of a DATA datagram's body, or of a body that several FRAGMENTs carried.
  ///
  /// @param outerBytes bytes of all datagrams, with their outer headers
  /// @return ACCEPTED, MALFORMED, BAD_COMPRESSION or UNKNOWN_EPOCH
  public Verdict restore(
      byte[] body, int length, Arrival arrival, int outerBytes, InnerPacketSink to) {
    sink = to;
    accounts.begin();
    hasStamp = false;
    Verdict verdict = memory.reader.read(body, 0, length, arrival, received, this);
    accounts.shareBytes(arrival, outerBytes);
    sink = NOWHERE;
    controlReceiver.finishDatagram(arrival.nowNs());
    return verdict;
  }

  private void count(Verdict verdict) {
    verdicts.count(verdict);
  }

  @Override
  public void stamp(Arrival arrival, int timeUs) {
    hasStamp = true;
    stampUs = timeUs;
    if (!peerClock.isKnown()) {
      return;
    }
    int delay = peerClock.sinceUs(timeUs, arrival.nowNs());
    if (delay < DELAY_LEAST_US) {
      count(Verdict.DELAY_SKEWED);
      return;
    }
    accounts.delay(delay);
  }

  @Override
  public void whole(
      Arrival arrival,
      int id,
      int generation,
      boolean install,
      int application,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    IpPacket packet = memory.packet(length);
    packet.buffer().setBytes(packet.start(), bytes, at, length);
    FlowKey key = memory.key;
    if (!key.parse(packet)) {
      accounts.overhead(recordBytes);
      count(Verdict.NOT_IP);
      return;
    }
    FlowState flow = null;
    if (id != 0) {
      flow = flows.opened(id, key, arrival.isNewest(), arrival.nowNs());
      if (flow == null || flow.id() != id && flow.alias() != id) {
        if (flows.isOwn(id) && flows.byId(id) == null) {
          controls.flowEnd(id, arrival.nowNs());
        }
      } else if (install) {
        install(arrival, flow, id, generation, key);
      }
    }
    if (flow != null) {
      restartOrder(flow, arrival.nowNs());
      memory.coalescer().flush(flow);
      if (fromDevice) {
        flow.follow(arrival.serviceClass(), application, arrival.sequence());
      }
      if (!key.isPortless() && flow.protocol() == IpFields.TCP) {
        int flags =
            packet
                .buffer()
                .getUnsignedByte(packet.start() + key.transportOffset() + IpFields.TCP_FLAGS);
        flows.tcpFlags(flow, fromDevice, flags, arrival.nowNs());
      }
    }
    clamp.whole(packet, key);
    accounts.packets(arrival, flow, recordBytes, 1, length);
    count(Verdict.RESTORED);
    sink.packet(flow, packet);
  }

  private void install(Arrival arrival, FlowState flow, int id, int generation, FlowKey key) {
    long sequence = arrival.sequence();
    long nowNs = arrival.nowNs();
    if (key.isElidable()
        && flow.receiveContexts().install(generation, key.header(), sequence)
        && flow.receiveContexts().shouldAcknowledge(generation, nowNs)) {
      controls.flowAck(id, generation, sequence, nowNs);
    }
  }

  /// Returns the flow of an elided record. If its context is not held, counts that, reports it to
  /// the peer, and returns null.
  private @Nullable FlowState known(Arrival arrival, int id, int generation, int recordBytes) {
    long sequence = arrival.sequence();
    FlowState flow = flows.byId(id);
    if (flow != null
        && flow.receiveContexts().context(generation, sequence) != HeaderContext.NONE) {
      if (fromDevice) {
        flow.follow(arrival.serviceClass(), -1, sequence);
      }
      return flow;
    }
    refuse(Verdict.UNKNOWN_FLOW, recordBytes);
    long nowNs = arrival.nowNs();
    if (nowNs - unknownNs >= UNKNOWN_SPACING_NS) {
      unknownNs = nowNs;
      controls.flowUnknown(id, generation, nowNs);
    }
    return null;
  }

  @Override
  public void elided(
      Arrival arrival,
      int kind,
      int id,
      int ecn,
      int generation,
      int number,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    FlowState flow = known(arrival, id, generation, recordBytes);
    if (flow == null) {
      return;
    }
    long context = flow.receiveContexts().context(generation, arrival.sequence());
    boolean udp = kind == Record.UDP;
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int transport = length + (udp ? IpFields.UDP_HEADER : 0);
    if (udp && flow.protocol() != IpFields.UDP) {
      refuse(Verdict.UNKNOWN_FLOW, recordBytes);
      return;
    }
    if (ipBytes + transport > RestoreMemory.PACKET_BYTES_MAX) {
      refuse(Verdict.RECORD_TOO_BIG, recordBytes);
      return;
    }
    accounts.packets(arrival, flow, recordBytes, 1, ipBytes + transport);
    count(Verdict.RESTORED);
    PacketOrder order = number == Record.NO_NUMBER ? null : resequencer.orderOf(flow);
    if (order == null) {
      restartOrder(flow, arrival.nowNs());
      deliverElided(sink, udp, flow, context, ecn, bytes, at, length);
    } else if (!resequencer.holdsNumbered(
        order, arrival, sink, context, ecn, number, bytes, at, length, delivery)) {
      deliverElided(sink, udp, flow, context, ecn, bytes, at, length);
      resequencer.release(order, delivery, arrival.nowNs());
    }
  }

  /// Delivers what waits of a spread flow, because the place of the next packet in its order is not
  /// known.
  private void restartOrder(FlowState flow, long nowNs) {
    PacketOrder order = resequencer.orderOf(flow);
    if (order != null) {
      resequencer.restart(order, delivery, nowNs);
    }
  }

  private void deliverElided(
      InnerPacketSink to,
      boolean udp,
      FlowState flow,
      long context,
      int ecn,
      byte[] bytes,
      int at,
      int length) {
    SegmentCoalescer coalescer = memory.coalescer();
    if (!udp) {
      coalescer.flush(flow);
    } else if (coalescer.addDatagram(to, flow, context, ecn, bytes, at, length, fromDevice)) {
      return;
    }
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int transport = length + (udp ? IpFields.UDP_HEADER : 0);
    int identification = coalescer.identifications(1);
    HeaderWriter.ip(memory.headers, flow, context, ecn, transport, fromDevice, identification);
    int headerBytes = ipBytes;
    if (udp) {
      headerBytes += HeaderWriter.udp(memory.headers, ipBytes, flow, context, length, fromDevice);
    }
    boolean partial = udp && !HeaderContext.udpWithoutChecksum(context);
    to.packet(flow, memory.packet(headerBytes, bytes, at, length, 0, partial));
  }

  @Override
  public void tcp(
      Arrival arrival,
      int id,
      int ecn,
      int generation,
      TcpFields tcp,
      byte[] bytes,
      int at,
      int length,
      int recordBytes) {
    FlowState flow = known(arrival, id, generation, recordBytes);
    if (flow == null) {
      return;
    }
    if (flow.protocol() != IpFields.TCP) {
      refuse(Verdict.UNKNOWN_FLOW, recordBytes);
      return;
    }
    long context = flow.receiveContexts().context(generation, arrival.sequence());
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int headerBytes = ipBytes + tcp.headerBytes();
    if (headerBytes + length > RestoreMemory.PACKET_BYTES_MAX) {
      refuse(Verdict.RECORD_TOO_BIG, recordBytes);
      return;
    }
    flows.tcpFlags(flow, fromDevice, tcp.flags(), arrival.nowNs());
    int segmentBytes = tcp.segmentBytes();
    int segments = segmentBytes == 0 ? 1 : (length + segmentBytes - 1) / segmentBytes;
    accounts.packets(arrival, flow, recordBytes, segments, segments * headerBytes + length);
    verdicts.add(Verdict.RESTORED, segments);
    PacketOrder order = resequencer.orderOf(flow);
    if (order == null) {
      deliver(sink, flow, context, ecn, tcp, bytes, at, length);
    } else if (!resequencer.holds(
        order, arrival, sink, context, ecn, tcp, bytes, at, length, delivery)) {
      deliver(sink, flow, context, ecn, tcp, bytes, at, length);
      resequencer.release(order, delivery, arrival.nowNs());
    }
  }

  private void deliver(FlowState flow, HeldPacket held) {
    TcpFields tcp = held.tcp;
    if (tcp == null) {
      deliverElided(
          held.sink, true, flow, held.context, held.ecn, held.bytes(), held.at(), held.length);
    } else {
      deliver(held.sink, flow, held.context, held.ecn, tcp, held.bytes(), held.at(), held.length);
    }
  }

  private void deliver(
      InnerPacketSink to,
      FlowState flow,
      long context,
      int ecn,
      TcpFields tcp,
      byte[] bytes,
      int at,
      int length) {
    int segmentBytes = tcp.segmentBytes();
    int segments = segmentBytes == 0 ? 1 : (length + segmentBytes - 1) / segmentBytes;
    SegmentCoalescer coalescer = memory.coalescer();
    if (segments > 1) {
      coalescer.flush(flow);
    } else if (coalescer.add(to, flow, context, ecn, tcp, bytes, at, length, fromDevice)) {
      return;
    }
    int ipBytes = HeaderWriter.ipHeaderBytes(context);
    int headerBytes = ipBytes + tcp.headerBytes();
    int transport = tcp.headerBytes() + length;
    int identification = coalescer.identifications(segments);
    HeaderWriter.ip(memory.headers, flow, context, ecn, transport, fromDevice, identification);
    HeaderWriter.tcp(memory.headers, ipBytes, flow, context, tcp, bytes, length, fromDevice);
    int gsoSize = segments > 1 ? segmentBytes : 0;
    IpPacket packet = memory.packet(headerBytes, bytes, at, length, gsoSize, true);
    clamp.elided(packet.buffer(), packet.start() + ipBytes, tcp, flow.isIpv4());
    to.packet(flow, packet);
  }

  /// Returns the time of the next [#tick], Long.MAX_VALUE for never.
  public long dueNs() {
    return resequencer.dueNs();
  }

  /// Delivers the packets that have waited long enough for earlier ones.
  public void tick(long nowNs) {
    resequencer.tick(delivery, nowNs);
  }

  /// Releases what waits, because the session ends.
  public void close() {
    resequencer.close();
  }

  private void refuse(Verdict why, int recordBytes) {
    count(why);
    accounts.overhead(recordBytes);
  }

  @Override
  public ControlSink controls() {
    return controlReceiver;
  }

  @Override
  public void control(int recordBytes) {
    accounts.overhead(recordBytes);
    count(Verdict.CONTROL_TAKEN);
  }
}
