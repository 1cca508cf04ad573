package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Sends sealed datagrams through one loop's UDP socket. Between [#gather] and [#sendGathered]
/// small datagrams of different sessions are gathered, so that one system call sends them
/// (sendmmsg). At most one burst and the gathered datagrams wait for the socket. All other packets
/// stay in the sessions' queues, because only those know the service classes. Called on the loop.
final class UdpSender implements DatagramSink {
  private final TrafficCounters counters;
  private @Nullable UdpSocket socket;
  private @Nullable ByteBuf unsent;
  private @Nullable InetSocketAddress unsentTo;
  private int unsentSegment;
  private int tooLong;
  private boolean gathers;

  UdpSender(TrafficCounters counters) {
    this.counters = counters;
  }

  void attach(UdpSocket udp) {
    socket = udp;
  }

  @Override
  public boolean isWritable() {
    return unsent == null && socket != null && socket.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    UdpSocket udp = socket;
    if (to == null || udp == null) {
      counters.count(Drop.UNBOUND);
      burst.release();
      return;
    }
    if (gathers && burst.readableBytes() <= Math.min(segmentSize, UdpSocket.POSTED_BYTES_MAX)) {
      boolean full = udp.post(burst, to);
      burst.release();
      if (full) {
        flush(udp);
      }
      return;
    }
    flush(udp); // in the order in which they were sealed
    SendResult result =
        udp.posted() > 0 ? SendResult.WOULD_BLOCK : udp.send(burst, segmentSize, to);
    if (result == SendResult.WOULD_BLOCK) {
      unsent = burst;
      unsentTo = to;
      unsentSegment = segmentSize;
      if (udp.posted() == 0) {
        counters.countSocketFull();
      }
      return;
    }
    if (result == SendResult.TOO_LONG) {
      tooLong = segmentSize;
      counters.count(Drop.UDP_TOO_LONG);
    } else if (result == SendResult.REFUSED) {
      counters.count(Drop.UDP_REFUSED);
    }
    burst.release();
  }

  @Override
  public int takeTooLong() {
    int bytes = tooLong;
    tooLong = 0;
    return bytes;
  }

  private void flush(UdpSocket udp) {
    if (udp.posted() > 0) {
      counters.count(Drop.UDP_REFUSED, udp.flush());
      if (udp.posted() > 0) {
        counters.countSocketFull();
      }
    }
  }

  /// Gathers small datagrams from now on.
  void gather() {
    gathers = true;
  }

  /// Sends the gathered datagrams, and gathers no more.
  void sendGathered() {
    gathers = false;
    if (socket != null) {
      flush(socket);
    }
  }

  /// Sends the gathered datagrams and the waiting burst, because the socket accepts data again.
  void onWritable(long nowNs) {
    sendGathered();
    ByteBuf burst = unsent;
    if (burst != null) {
      unsent = null;
      send(burst, unsentSegment, unsentTo, nowNs);
      tooLong = 0; // the session that sent this burst is not known here
    }
  }

  void close() {
    if (socket != null) {
      counters.count(Drop.ENDED, socket.posted());
    }
    if (unsent != null) {
      counters.count(Drop.ENDED);
      unsent.release();
      unsent = null;
    }
    socket = null;
  }
}
