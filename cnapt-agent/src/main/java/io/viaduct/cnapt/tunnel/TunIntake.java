package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The device's packets on their way in: TUN → flow → class → offer. The TUN is read only while
/// every class has room for what may come: applications slow down before anything is dropped. While
/// the path's rate is known, the session itself keeps each class's queue short, and is given
/// everything. Owner: the data path's event loop.
final class TunIntake implements TunReader {
  // One wake-up of the TUN may bring a superpacket more after the pause has been asked for.
  private static final int ROOM_BYTES_MIN = 128 * 1024;

  /// What happens to packets that were offered; called on the event loop.
  interface Next {
    /// A packet of the device has been offered.
    void offered(int length, long nowNs);

    /// Packets wait that may leave now.
    void drain(long nowNs);
  }

  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final TunQueue tun;
  private final FlowClasses classes;
  private final Next next;
  private final InnerPacketSink back;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private final ByteBuf buffer =
      ByteBufAllocator.DEFAULT.directBuffer(VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX);
  private @Nullable TunnelSession session;
  private List<Integer> classQueueBytes = List.of();
  private boolean started;
  private boolean paused;
  private long pauses;

  /// @param back towards the applications
  TunIntake(
      IoEventLoop loop,
      LongSupplier nanoTime,
      TunQueue tun,
      FlowClasses classes,
      InnerPacketSink back,
      Next next) {
    this.back = back;
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.tun = tun;
    this.classes = classes;
    this.next = next;
  }

  /// Packets go into this session from here on.
  ///
  /// @param queueBytes bytes that may wait in it, by class
  void begin(TunnelSession into, List<Integer> queueBytes) {
    session = into;
    classQueueBytes = queueBytes;
    if (!started) {
      started = true;
      tun.start(loop, buffer, 0, this);
    }
  }

  /// The session has ended.
  void end() {
    session = null;
  }

  @Override
  public void packet(ByteBuf packet, int headerOffset, int length) {
    TunnelSession to = session;
    if (to == null) {
      return; // between two sessions on this same loop iteration: never with a packet in hand
    }
    long now = nanoTime.getAsLong();
    int ip = headerOffset + VirtioNetHeader.LENGTH;
    header.wrap(packet, headerOffset);
    FlowState flow = to.flows().lookup(packet, ip, length);
    if (flow != null) {
      if (!flow.isClassified()) {
        classes.classify(flow);
      }
      if (flow.protocol() == FlowKey.TCP && flow.attachment() instanceof FlowNote note) {
        int ipBytes = flow.isIpv4() ? (packet.getByte(ip) & 0xF) << 2 : FlowKey.IPV6_HEADER;
        note.sees(packet, ip + ipBytes, length - ipBytes);
      }
    }
    int gsoSize = header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize();
    boolean partial = header.needsChecksum();
    if (to.offer(packet, ip, length, gsoSize, partial, flow, now) == Verdict.PACKET_TOO_BIG) {
      to.answerTooBig(packet, ip, length, back, now);
    }
    next.offered(length, now);
    if (!hasRoom(to)) {
      flush(to, now);
    }
  }

  @Override
  public void batchEnd() {
    TunnelSession to = session;
    if (to != null) {
      flush(to, nanoTime.getAsLong());
    }
  }

  private void flush(TunnelSession to, long now) {
    to.flushBatch(now);
    next.drain(now);
  }

  /// Reads on or pauses, by the room that there is now.
  void throttle(TunnelSession in) {
    boolean room = hasRoom(in);
    if (!room && !paused) {
      paused = true;
      pauses++;
      tun.pauseReading();
    } else if (room && paused) {
      paused = false;
      tun.resumeReading();
    }
  }

  private boolean hasRoom(TunnelSession in) {
    if (in.isPaced()) {
      return true; // the session drops what is too much of one class; the others must come in
    }
    for (int c = 0; c < ServiceClass.COUNT; c++) { // values() would make an array per packet
      int most = classQueueBytes.get(c);
      if (in.queuedBytes(ServiceClass.of(c)) + Math.min(ROOM_BYTES_MIN, most / 2) > most) {
        return false;
      }
    }
    return true;
  }

  /// How often the TUN was not read because a class's queue was full.
  long pauses() {
    return pauses;
  }

  /// Reads no more; the queue stays the device's.
  void close() {
    tun.close();
    buffer.release();
  }
}
