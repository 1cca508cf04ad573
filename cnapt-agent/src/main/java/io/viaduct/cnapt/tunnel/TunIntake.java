package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Reads the device's packets: TUN → offer to the session. Reads the TUN only while the queue of
/// every class has room. This back-pressure slows applications down before a packet is dropped.
/// While the path's rate is known, the session limits its queues itself and gets every packet.
/// Owner: the data path's event loop.
final class TunIntake implements TunReader {
  // After a pause was requested, one wake-up of the TUN may still deliver a superpacket.
  private static final int ROOM_BYTES_MIN = 128 * 1024;

  /// Handles packets after the offer; called on the event loop.
  interface Next {
    /// Called after a packet of the device was offered to the session.
    void offered(int length, long nowNs);

    /// Sends the packets that may leave now.
    void drain(long nowNs);
  }

  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final TunQueue tun;
  private final Next next;
  private final InnerPacketSink back;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private final IpPacket offered = new IpPacket();
  private final ByteBuf buffer =
      ByteBufAllocator.DEFAULT.directBuffer(VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX);
  private @Nullable TunnelSession session;
  private List<Integer> classQueueBytes = List.of();
  private boolean started;
  private boolean paused;
  private long pauses;

  /// @param back sends the session's ICMP errors to the applications
  TunIntake(
      IoEventLoop loop, LongSupplier nanoTime, TunQueue tun, InnerPacketSink back, Next next) {
    this.back = back;
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.tun = tun;
    this.next = next;
  }

  /// Offers all further packets to this session.
  ///
  /// @param queueBytes limit of each class's queue, in bytes
  void begin(TunnelSession into, List<Integer> queueBytes) {
    session = into;
    classQueueBytes = queueBytes;
    if (!started) {
      started = true;
      tun.start(loop, buffer, 0, this);
    }
  }

  /// Ends the offers to the session.
  void end() {
    session = null;
  }

  @Override
  public void packet(ByteBuf packet, int headerOffset, int length) {
    TunnelSession to = session;
    if (to == null) {
      return; // only between two sessions in one iteration of the loop, when no packet is being
      // processed
    }
    long nowNs = nanoTime.getAsLong();
    header.wrap(packet, headerOffset);
    int gsoSize = header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize();
    int ip = headerOffset + VirtioNetHeader.LENGTH;
    offered.set(packet, ip, length, gsoSize, header.needsChecksum());
    if (to.offer(offered, nowNs) == Verdict.PACKET_TOO_BIG) {
      to.answerTooBig(offered, back, nowNs);
    }
    next.offered(length, nowNs);
    if (!hasRoom(to)) {
      flush(to, nowNs);
    }
  }

  @Override
  public void batchEnd() {
    TunnelSession to = session;
    if (to != null) {
      flush(to, nanoTime.getAsLong());
    }
  }

  private void flush(TunnelSession to, long nowNs) {
    to.flushBatch(nowNs);
    next.drain(nowNs);
  }

  /// Resumes or pauses the reading of the TUN, by the present room in the queues.
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
      return true; // the session drops the excess of one class, and the other classes must still be
      // read
    }
    for (int c = 0; c < ServiceClass.COUNT; c++) { // values() would allocate an array per packet
      int most = classQueueBytes.get(c);
      if (in.queuedBytes(ServiceClass.of(c)) + Math.min(ROOM_BYTES_MIN, most / 2) > most) {
        return false;
      }
    }
    return true;
  }

  /// Returns the number of times that the TUN was not read because a class's queue was full.
  long pauses() {
    return pauses;
  }

  /// Stops reading. The TUN queue itself stays open.
  void close() {
    tun.close();
    buffer.release();
  }
}
