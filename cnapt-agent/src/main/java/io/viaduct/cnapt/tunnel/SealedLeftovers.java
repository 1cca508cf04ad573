package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.util.ArrayDeque;

/// Keeps the sealed bursts that waited in the socket of a lost link, until another path takes them.
/// The same bytes leave there, so no nonce seals a second input. A datagram that is too long for
/// the other path leaves in IP fragments (docs/adr/0036). Owner: the data path's event loop.
final class SealedLeftovers {
  /// One burst waits per socket, and a device has at most as many sockets as paths.
  static final int BURSTS_MAX = 8;

  private record Burst(ByteBuf datagrams, int segmentSize, long sinceNs) {}

  private final ArrayDeque<Burst> bursts = new ArrayDeque<>();
  private long dropped;
  private long moved;

  /// Takes the waiting burst of a path whose link is lost. A PATH message is dropped: it speaks of
  /// the path by which it leaves, so it would be wrong on another one, and its sender repeats it.
  /// So are packets that a rule binds to the lost link: no other link may carry them.
  void add(UdpSink lost) {
    int segmentSize = lost.waitingSegmentSize();
    long sinceNs = lost.waitingSinceNs();
    ByteBuf datagrams = lost.takeWaiting();
    if (datagrams == null) {
      return;
    }
    int type = DatagramHeader.type(datagrams, datagrams.readerIndex());
    if (type == DatagramHeader.TYPE_PATH || lost.isWaitingBound()) {
      dropped++;
      datagrams.release();
      return;
    }
    if (bursts.size() == BURSTS_MAX) {
      drop();
    }
    bursts.addLast(new Burst(datagrams, segmentSize, sinceNs));
  }

  boolean isEmpty() {
    return bursts.isEmpty();
  }

  /// Sends the bursts by the socket of another path, as many as it accepts. A burst that is as old
  /// as a waiting one may be is dropped.
  void sendBy(UdpSink other, long nowNs) {
    while (!bursts.isEmpty()) {
      Burst first = bursts.getFirst();
      SendResult result = other.sendForeign(first.datagrams, first.segmentSize);
      boolean tooOld = nowNs - first.sinceNs > UdpSink.WAIT_NS_MAX;
      if (result == SendResult.SENT) {
        moved++;
        bursts.removeFirst().datagrams.release();
      } else if (tooOld || result == SendResult.TOO_LONG) {
        drop();
      } else {
        return;
      }
    }
  }

  private void drop() {
    dropped++;
    bursts.removeFirst().datagrams.release();
  }

  /// Releases everything, because the session has ended or its data travel in the control
  /// connection.
  void giveUp() {
    while (!bursts.isEmpty()) {
      drop();
    }
  }

  /// Returns the number of bursts that no other path took.
  long dropped() {
    return dropped;
  }

  /// Returns the number of bursts that left by another path than that which they were sealed for.
  long moved() {
    return moved;
  }
}
