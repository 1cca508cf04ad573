package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Sends bursts to the SNAPT. What the kernel does not take now, because its buffer is full or
/// because there is no network at this moment, is kept and sent first later: a handover then costs
/// packets only when it lasts. Owner: the data path's event loop.
final class UdpSink implements DatagramSink {
  // Beyond this age what waits is of no use: TCP has sent it again long ago.
  private static final long WAIT_NS_MAX = 3_000_000_000L;

  private final UdpSocket socket;
  private InetSocketAddress peer;
  private @Nullable ByteBuf waiting;
  private int waitingSegmentSize;
  private long waitingSinceNs;
  private boolean refused;
  private int tooLong;
  private long refusals;
  private long droppedBursts;
  private long nowNs;

  UdpSink(UdpSocket socket, InetSocketAddress peer) {
    this.socket = socket;
    this.peer = peer;
  }

  /// The next datagrams go elsewhere.
  void peer(InetSocketAddress newPeer) {
    peer = newPeer;
  }

  InetSocketAddress peer() {
    return peer;
  }

  /// Time passes.
  void at(long now) {
    nowNs = now;
  }

  @Override
  public boolean writable() {
    return waiting == null && socket.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to) {
    if (waiting != null) {
      throw new IllegalStateException("asked to send although it was not writable");
    }
    waiting = burst;
    waitingSegmentSize = segmentSize;
    waitingSinceNs = nowNs;
    sendWaiting();
  }

  /// Tries again what waits.
  ///
  /// @return whether nothing waits any more
  boolean sendWaiting() {
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

  /// Bytes of the datagrams that the kernel found too long since the last call, 0 if none. They are
  /// gone.
  int takeTooLong() {
    int bytes = tooLong;
    tooLong = 0;
    return bytes;
  }

  /// Datagrams go by another carrier: what waits would only come late.
  void giveUp() {
    if (waiting != null) {
      droppedBursts++;
      release();
    }
  }

  /// Whether the kernel has no way to the peer at this moment.
  boolean isRefused() {
    return refused && waiting != null;
  }

  /// How often the kernel refused a burst.
  long refusals() {
    return refusals;
  }

  /// Bursts given up because no network came in time.
  long droppedBursts() {
    return droppedBursts;
  }

  /// Forgets what waits: it belongs to a session that has ended.
  void release() {
    ByteBuf burst = waiting;
    if (burst != null) {
      waiting = null;
      burst.release();
    }
  }
}
