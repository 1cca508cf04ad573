package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.dictionary.EpochAnnouncement;
import io.viaduct.tunnel.dictionary.HistoryControls;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.VarInt;

/// Holds control records that wait for a compound to carry them: 5 ms, or 60 ms for statistics.
/// Each record is complete in itself and may be lost. A record that does not fit is not sent now;
/// its cause occurs again.
public final class ControlQueue implements HistoryControls {
  /// Bound on the waiting records in bytes. They fit into the smallest path's body.
  public static final int BYTES_MAX = 400;

  static final long WAIT_NS = 5_000_000;

  /// Longest wait of statistics. They are not urgent: a compound that waits for more packets
  /// carries them.
  static final long STATS_WAIT_NS = 60_000_000;

  private static final int STATS_BYTES_MAX = 1 + 3 + 9 * 10;
  private static final int WAITED_BYTES_MAX = 1 + 3 + 10;

  private byte[] bytes = new byte[0];
  private int length;
  private long dueNs = Long.MAX_VALUE;

  public int length() {
    return length;
  }

  /// Returns the latest time at which the records leave, even without a packet.
  public long dueNs() {
    return dueNs;
  }

  public void flowAck(int flow, int generation, long sequence, long nowNs) {
    if (room(9, nowNs)) {
      bytes[length++] = Record.FLOW_ACK;
      length = VarInt.write(bytes, length, flow);
      bytes[length++] = (byte) generation;
      BigEndian.putInt(bytes, length, (int) sequence);
      length += 4;
    }
  }

  public void flowUnknown(int flow, int generation, long nowNs) {
    if (room(5, nowNs)) {
      bytes[length++] = Record.FLOW_UNKNOWN;
      length = VarInt.write(bytes, length, flow);
      bytes[length++] = (byte) generation;
    }
  }

  /// Adds a FLOW_ROUTE record. @return false if there is no room now
  ///
  /// @param route id of a path, or a value of [io.viaduct.tunnel.flow.FlowRoute]
  public boolean flowRoute(int flow, int route, long nowNs) {
    if (!room(5, nowNs)) {
      return false;
    }
    bytes[length++] = Record.FLOW_ROUTE;
    length = VarInt.write(bytes, length, flow);
    bytes[length++] = (byte) route;
    return true;
  }

  /// Adds a FLOW_SPREAD record. @return false if there is no room now
  public boolean flowSpread(int flow, long nowNs) {
    if (!room(4, nowNs)) {
      return false;
    }
    bytes[length++] = Record.FLOW_SPREAD;
    length = VarInt.write(bytes, length, flow);
    return true;
  }

  public void flowEnd(int flow, long nowNs) {
    if (room(4, nowNs)) {
      bytes[length++] = Record.FLOW_END;
      length = VarInt.write(bytes, length, flow);
    }
  }

  @Override
  public boolean epoch(EpochAnnouncement announcement, long nowNs) {
    if (!room(1 + announcement.length(), nowNs)) {
      return false;
    }
    bytes[length++] = Record.EPOCH;
    length = announcement.write(bytes, length);
    return true;
  }

  @Override
  public void epochUnknown(int context, int epoch, long nowNs) {
    if (room(11, nowNs)) {
      bytes[length++] = Record.EPOCH_UNKNOWN;
      length = VarInt.write(bytes, length, context);
      length = VarInt.write(bytes, length, epoch);
    }
  }

  /// Adds an INCOMPLETE record.
  ///
  /// @param bodies long bodies given up since the session began
  public void incomplete(int bodies, long nowNs) {
    if (room(6, nowNs)) {
      bytes[length++] = Record.INCOMPLETE;
      length = VarInt.write(bytes, length, bodies);
    }
  }

  /// Adds a FLOW_STATS record. @return false if there is no room now
  public boolean flowStats(int flow, FlowCounters sent, FlowCounters received, long nowNs) {
    if (!room(STATS_BYTES_MAX, STATS_WAIT_NS, nowNs)) {
      return false;
    }
    bytes[length++] = Record.FLOW_STATS;
    length = VarInt.write(bytes, length, flow);
    length = VarInt.write(bytes, length, sent.packets());
    length = VarInt.write(bytes, length, sent.preBytes());
    length = VarInt.write(bytes, length, sent.waitUs());
    length = VarInt.write(bytes, length, received.packets());
    length = VarInt.write(bytes, length, received.preBytes());
    length = VarInt.write(bytes, length, received.delaySamples());
    length = VarInt.write(bytes, length, VarInt.zigzag(received.delaySumUs()));
    length = VarInt.write(bytes, length, Math.round(received.jitterUs()));
    return true;
  }

  /// Adds a FLOW_WAITED record. @return false if there is no room now
  ///
  /// @param waitedUs time for which the flow has waited for its path, since it opened
  public boolean flowWaited(int flow, long waitedUs, long nowNs) {
    if (!room(WAITED_BYTES_MAX, STATS_WAIT_NS, nowNs)) {
      return false;
    }
    bytes[length++] = Record.FLOW_WAITED;
    length = VarInt.write(bytes, length, flow);
    length = VarInt.write(bytes, length, waitedUs);
    return true;
  }

  private boolean room(int more, long nowNs) {
    return room(more, WAIT_NS, nowNs);
  }

  private boolean room(int more, long waitNs, long nowNs) {
    if (length + more > BYTES_MAX) {
      return false;
    }
    if (bytes.length == 0) {
      bytes = new byte[BYTES_MAX];
    }
    dueNs = Math.min(dueNs, nowNs + waitNs);
    return true;
  }

  int drainTo(byte[] to, int at) {
    System.arraycopy(bytes, 0, to, at, length);
    int end = at + length;
    length = 0;
    dueNs = Long.MAX_VALUE;
    return end;
  }

  /// Writes the block with the STAMP that precedes a body: [Record#STAMP_BLOCK_BYTES].
  public static void writeStampBlock(byte[] to, int at, int timeUs) {
    to[at] = (byte) Record.MORE;
    BigEndian.putShort(to, at + 1, 5);
    to[at + 3] = Record.STAMP;
    BigEndian.putInt(to, at + 4, timeUs);
  }
}
