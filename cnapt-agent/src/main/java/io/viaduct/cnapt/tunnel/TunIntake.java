package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.function.LongSupplier;

/// Reads the device's packets from the TUN. Reads only while the queue of every class has room.
/// This back-pressure slows applications down before a packet is dropped.
///
/// A packet from an address that this host does not have in the tunnel is dropped: the kernel
/// resets a connection of a lost link, for example, and routes that reset here. A SNAPT would
/// refuse it, and the device would count bytes that are not charged. Owner: the data path's event
/// loop.
final class TunIntake implements TunReader {
  /// Takes the packets; called on the event loop.
  interface Next {
    /// Takes a packet of the device. It is lent for the call.
    void packet(IpPacket packet, long nowNs);

    /// Called when the TUN has no more packets for now.
    void batchEnd(long nowNs);
  }

  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final TunQueue tun;
  private final AddressRanges own;
  private final Next next;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private final IpPacket offered = new IpPacket();
  private final ByteBuf buffer =
      ByteBufAllocator.DEFAULT.directBuffer(VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX);
  private boolean started;
  private boolean paused;
  private long pauses;
  private long foreign;

  /// @param own addresses from which this host sends into the tunnel
  TunIntake(IoEventLoop loop, LongSupplier nanoTime, TunQueue tun, AddressRanges own, Next next) {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.tun = tun;
    this.own = own;
    this.next = next;
  }

  /// Starts to read, if it has not started yet.
  void start() {
    if (!started) {
      started = true;
      tun.start(loop, buffer, 0, this);
    }
  }

  @Override
  public void packet(ByteBuf packet, int headerOffset, int length) {
    header.wrap(packet, headerOffset);
    int gsoSize = header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize();
    int ip = headerOffset + VirtioNetHeader.LENGTH;
    offered.set(packet, ip, length, gsoSize, header.needsChecksum());
    boolean isWhole = length >= (offered.isIpv4() ? IpFields.IPV4_HEADER : IpFields.IPV6_HEADER);
    if (isWhole && !own.haveSource(offered)) {
      foreign++;
    } else {
      next.packet(offered, nanoTime.getAsLong());
    }
  }

  @Override
  public void batchEnd() {
    next.batchEnd(nanoTime.getAsLong());
  }

  /// Resumes or pauses the reading of the TUN.
  ///
  /// @param room true if the queues have room
  void throttle(boolean room) {
    if (!room && !paused) {
      paused = true;
      pauses++;
      tun.pauseReading();
    } else if (room && paused) {
      paused = false;
      tun.resumeReading();
    }
  }

  /// Returns the number of times that the TUN was not read because a class's queue was full.
  long pauses() {
    return pauses;
  }

  /// Returns the number of packets from addresses that this host does not have in the tunnel.
  long foreign() {
    return foreign;
  }

  /// Stops reading. The TUN queue itself stays open.
  void close() {
    tun.close();
    buffer.release();
  }
}
