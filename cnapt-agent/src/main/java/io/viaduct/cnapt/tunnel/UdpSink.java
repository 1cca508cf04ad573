package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Sends bursts to the SNAPT. If the kernel's buffer is full or there is no network, the burst is
/// kept and sent first later. A short handover then loses no packets. Owner: the data path's event
/// loop.
final class UdpSink implements DatagramSink {
  // A waiting burst older than this is dropped, because TCP has retransmitted its data long ago.
  static final long WAIT_NS_MAX = 3_000_000_000L;

  private final UdpSocket socket;
  private InetSocketAddress peer;
  private @Nullable ByteBuf waiting;
  private int waitingSegmentSize;
  private long waitingSinceNs;
  private boolean waitingBound;
  private boolean refused;
  private int tooLong;
  private long refusals;
  private long droppedBursts;

  UdpSink(UdpSocket socket, InetSocketAddress peer) {
    this.socket = socket;
    this.peer = peer;
  }

  /// Sets the address for the next datagrams.
  void peer(InetSocketAddress newPeer) {
    peer = newPeer;
  }

  InetSocketAddress peer() {
    return peer;
  }

  @Override
  public boolean isWritable() {
    return waiting == null && socket.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    send(burst, segmentSize, false, nowNs);
  }

  @Override
  public void sendBound(
      ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    send(burst, segmentSize, true, nowNs);
  }

  private void send(ByteBuf burst, int segmentSize, boolean bound, long nowNs) {
    if (waiting != null) {
      throw new IllegalStateException("asked to send although it was not writable");
    }
    waiting = burst;
    waitingSegmentSize = segmentSize;
    waitingSinceNs = nowNs;
    waitingBound = bound;
    sendWaiting(nowNs);
  }

  /// Tries to send the waiting burst.
  ///
  /// @return true if no burst waits any more
  boolean sendWaiting(long nowNs) {
    ByteBuf burst = waiting;
    if (burst == null) {
      return true;
    }
    SendResult result = socket.send(burst, waitingSegmentSize, peer);
    refused = result == SendResult.REFUSED;
    if (refused) {
      refusals++;
    }
    if (result == SendResult.TOO_LONG) {
      tooLong = waitingSegmentSize;
    }
    boolean tooOld = refused && nowNs - waitingSinceNs > WAIT_NS_MAX;
    if (tooOld) {
      droppedBursts++;
    }
    if (result == SendResult.WOULD_BLOCK || refused && !tooOld) {
      return false;
    }
    release();
    return true;
  }

  /// Returns the bytes of each waiting datagram but the last.
  int waitingSegmentSize() {
    return waitingSegmentSize;
  }

  /// Returns the time since when the waiting burst waits.
  long waitingSinceNs() {
    return waitingSinceNs;
  }

  /// Returns whether a rule binds the waiting burst to this path.
  boolean isWaitingBound() {
    return waitingBound;
  }

  /// Takes the waiting burst out, which the caller now owns. @return null if none waits
  @Nullable ByteBuf takeWaiting() {
    ByteBuf burst = waiting;
    waiting = null;
    return burst;
  }

  /// Sends what is left of a burst that was sealed for another path. It stays the caller's.
  SendResult sendForeign(ByteBuf burst, int segmentSize) {
    return socket.isWritable()
        ? socket.sendFragmented(burst, segmentSize, peer)
        : SendResult.WOULD_BLOCK;
  }

  @Override
  public int takeTooLong() {
    int bytes = tooLong;
    tooLong = 0;
    return bytes;
  }

  /// Drops the waiting burst, because the carrier has changed and it would arrive too late.
  void giveUp() {
    if (waiting != null) {
      droppedBursts++;
      release();
    }
  }

  /// Returns true if the kernel has no route to the peer now.
  boolean isRefused() {
    return refused && waiting != null;
  }

  /// Returns the number of bursts that the kernel refused.
  long refusals() {
    return refusals;
  }

  /// Returns the number of bursts that were dropped because no network became available in time.
  long droppedBursts() {
    return droppedBursts;
  }

  /// Releases the waiting burst, because its session has ended.
  void release() {
    ByteBuf burst = waiting;
    if (burst != null) {
      waiting = null;
      burst.release();
    }
  }
}
