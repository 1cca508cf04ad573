package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;

/// The limits of the class queues of a session, for the back-pressure on the TUN.
final class QueueRoom {
  // After a pause was requested, one wake-up of the TUN may still deliver a superpacket.
  private static final int ROOM_BYTES_MIN = 128 * 1024;

  private final int[] most = new int[ServiceClass.COUNT];

  /// @param classQueueBytes longest queue in bytes, by class in priority order
  QueueRoom(List<Integer> classQueueBytes) {
    for (int c = 0; c < most.length; c++) {
      most[c] = classQueueBytes.get(c);
    }
  }

  /// Returns whether the queue of every class has room. While the path's rate is known, the session
  /// limits its queues itself and takes every packet: the excess of one class is dropped, and the
  /// other classes must still be read.
  boolean isIn(TunnelSession session) {
    if (session.isPaced()) {
      return true;
    }
    for (int c = 0; c < most.length; c++) { // values() would allocate an array per packet
      int room = Math.min(ROOM_BYTES_MIN, most[c] / 2);
      if (session.queuedBytes(ServiceClass.of(c)) + room > most[c]) {
        return false;
      }
    }
    return true;
  }
}
