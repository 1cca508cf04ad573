package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The path messages of one path that wait for their carrier, oldest first. Messages of one size to
/// one address leave as one run, so that probes which arrive together are answered by one call.
final class PathMessages {
  /// Most messages that wait: as many as leave in one run, and as the kernel merges (UDP_GRO).
  static final int WAITING_MAX = LoopMemory.BURST_SEGMENTS_MAX;

  private final LoopMemory memory;
  private final Aead aead;
  private final Sealer sealer;
  private final Pacer pacer;
  private final SessionTotals totals;
  private final VerdictCounters verdicts;
  private final PathBudget budget;
  private @Nullable PathNote first;
  private @Nullable PathNote last;
  private int waiting;

  PathMessages(
      LoopMemory memory,
      Aead aead,
      Sealer sealer,
      Pacer pacer,
      SessionTotals totals,
      VerdictCounters verdicts,
      PathBudget budget) {
    this.memory = memory;
    this.aead = aead;
    this.sealer = sealer;
    this.pacer = pacer;
    this.totals = totals;
    this.verdicts = verdicts;
    this.budget = budget;
  }

  boolean isEmpty() {
    return waiting == 0;
  }

  boolean isFull() {
    return waiting == WAITING_MAX;
  }

  /// Queues a message. A full queue drops the oldest one, counted; its sender repeats it.
  void add(PathMessage message, Carrier by, @Nullable InetSocketAddress to) {
    PathNote note = next(by, to);
    note.length = PathMessage.write(message, note.body, 0);
    note.paddedTo = message instanceof PathMessage.MtuProbe probe ? probe.size() : 0;
  }

  /// Queues the answer to a probe, without an object of its own.
  ///
  /// @param counts whether the answer tells the bytes that were sent before it
  void addReply(
      int number,
      long t1Us,
      long t2Us,
      boolean counts,
      Carrier by,
      @Nullable InetSocketAddress to) {
    PathNote note = next(by, to);
    long sentBytes = counts ? 0 : PathMessage.NO_COUNT;
    note.length = PathMessage.writeReply(number, t1Us, t2Us, t2Us, sentBytes, note.body, 0);
    note.paddedTo = 0;
  }

  private PathNote next(Carrier by, @Nullable InetSocketAddress to) {
    if (isFull()) {
      drop(removeFirst());
    }
    PathNote note = memory.pathNotes.take();
    note.by = by;
    note.to = to;
    addLast(note);
    return note;
  }

  private void drop(PathNote note) {
    verdicts.count(Verdict.PATH_MESSAGE_DROPPED);
    memory.pathNotes.giveBack(note);
  }

  private void addLast(PathNote note) {
    if (last == null) {
      first = note;
    } else {
      last.next = note;
    }
    last = note;
    waiting++;
  }

  private PathNote removeFirst() {
    PathNote note = first;
    if (note == null) {
      throw new IllegalStateException("no path message waits");
    }
    first = note.next;
    last = first == null ? null : last;
    note.next = null;
    waiting--;
    return note;
  }

  /// Sends the messages, each by its carrier. A message whose carrier accepts none now waits and
  /// does not block the others.
  ///
  /// @param control null if there is no control connection; then messages for it are dropped
  /// @return true if a message waits
  boolean drain(DatagramSink udp, @Nullable DatagramSink control, long nowNs) {
    for (int left = waiting; left > 0; left--) {
      PathNote note = removeFirst();
      DatagramSink sink = note.by == Carrier.UDP ? udp : control;
      if (sink == null) {
        drop(note);
      } else if (sink.isWritable()) {
        left -= send(note, left - 1, sink, nowNs);
      } else {
        addLast(note);
      }
    }
    return waiting > 0;
  }

  /// Sends a message, and those behind it that may leave with it.
  ///
  /// @param moreMax most messages behind it
  /// @return the number of messages behind it that have left
  private int send(PathNote note, int moreMax, DatagramSink sink, long nowNs) {
    ByteBuf run = memory.rentBurst();
    InetSocketAddress to = note.to;
    int size = seal(note, run, 0, nowNs);
    int filled = size;
    int more = 0;
    PathNote before = note;
    for (PathNote next = first;
        next != null
            && more < moreMax
            && filled + size <= LoopMemory.BURST_BYTES_MAX
            && before.leavesWith(next);
        next = first) {
      removeFirst();
      filled += seal(next, run, filled, nowNs);
      memory.pathNotes.giveBack(before);
      before = next;
      more++;
    }
    memory.pathNotes.giveBack(before);
    sink.send(run.writerIndex(filled), size, to, nowNs);
    return more;
  }

  private int seal(PathNote note, ByteBuf run, int at, long nowNs) {
    byte[] padded = memory.padded;
    PathMessage.leaves(note.body, note.length, nowNs / 1000, pacer.sentBytes());
    System.arraycopy(note.body, 0, padded, 0, note.length);
    Arrays.fill(padded, note.length, PathMessage.BYTES_MAX, (byte) 0);
    int body =
        note.paddedTo == 0 ? note.length : note.paddedTo - budget.headerBytes() - Sealer.OVERHEAD;
    int length =
        sealer.seal(
            aead, DatagramHeader.TYPE_PATH, ServiceClass.LT_LD, padded, 0, body, run, at, nowNs);
    totals.sentDatagrams(1);
    int outerBytes = length + headerBytes(note.to);
    totals.sentOverhead(outerBytes);
    pacer.sent(outerBytes, nowNs);
    return length;
  }

  // A path whose first address is not proved has no address family yet.
  private int headerBytes(@Nullable InetSocketAddress to) {
    return to == null ? budget.headerBytes() : OuterHeader.of(to).bytes();
  }

  /// Gives the memory of the waiting messages back, because the session ends.
  void discard() {
    while (first != null) {
      memory.pathNotes.giveBack(removeFirst());
    }
  }
}
