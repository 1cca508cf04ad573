package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.fragment.PartialBody;
import io.viaduct.tunnel.fragment.Reassembler;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.Opener;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.restore.PacketRestorer;
import io.viaduct.tunnel.restore.RestoreMemory;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Receives the datagrams of one session: opens a datagram, or keeps it until its body is complete.
/// Its contents then go to the path exchange or become packets.
final class DatagramReceiver {
  private final LoopMemory memory;
  private final Aead aead;
  private final Opener opener;
  private final Reassembler fragments;
  private final SessionTotals totals;
  private final VerdictCounters verdicts;
  private final ControlQueue controls;
  private final PathExchange path;
  private final PacketRestorer restorer;
  private final FirstArrivals firstArrivals = new FirstArrivals();
  private int incomplete;

  DatagramReceiver(
      SessionState state,
      LoopMemory memory,
      Aead aead,
      Opener opener,
      PathExchange path,
      PacketRestorer restorer) {
    this.memory = memory;
    this.aead = aead;
    this.opener = opener;
    this.fragments = new Reassembler(memory.fragments);
    this.totals = state.totals;
    this.verdicts = state.verdicts;
    this.controls = state.controls;
    this.path = path;
    this.restorer = restorer;
  }

  /// Receives one datagram.
  ///
  /// @param by the path that it came by, null if its address is new
  /// @param from null if the datagram came by the control connection
  /// @return the verdict on the datagram. ACCEPTED and COPY are authentic; all others have changed
  ///   nothing.
  Verdict receive(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    if (length <= FragmentHeader.LENGTH) {
      return Verdict.TOO_SHORT;
    }
    if (DatagramHeader.type(datagram, offset) == DatagramHeader.TYPE_FRAGMENT) {
      return fragment(datagram, offset, length, by, from, sink, nowNs);
    }
    if (length < Sealer.OVERHEAD + 1) {
      return Verdict.TOO_SHORT;
    }
    if (length > RestoreMemory.PACKET_BYTES_MAX) {
      return Verdict.MALFORMED;
    }
    long before = opener.highest();
    Verdict verdict = opener.open(aead, datagram, offset, length, memory.body, 0, nowNs);
    int outerBytes = length + headerBytes(by, from);
    if (verdict == Verdict.COPY) {
      copied(outerBytes, by, nowNs);
    }
    if (verdict != Verdict.ACCEPTED) {
      return verdict;
    }
    if (DatagramHeader.type(datagram, offset) == DatagramHeader.TYPE_COPIED) {
      firstArrivals.note(opener.sequence(), by);
    }
    boolean data = DatagramHeader.type(datagram, offset) != DatagramHeader.TYPE_PATH;
    ServiceClass of = data ? DatagramHeader.serviceClass(datagram, offset) : null;
    if (by != null) {
      by.pacing.arrived(outerBytes, outerBytes, of, nowNs);
    }
    boolean newest = accepted(1, outerBytes, before, from, nowNs);
    if (!data) {
      totals.receivedOverhead(outerBytes);
      return path.message(memory.body, opener.bodyBytes(), by, from, opener.sequence(), nowNs);
    }
    return restore(datagram.getByte(offset), newest, outerBytes, by, linkOf(by, from), sink, nowNs);
  }

  /// Counts a second copy as what its path has carried, unless it is a replay: then it comes by the
  /// path of the first copy, or by none.
  private void copied(int outerBytes, @Nullable SessionPath by, long nowNs) {
    if (by != null && firstArrivals.isExpected(opener.sequence(), by)) {
      totals.receivedOverhead(outerBytes);
      by.pacing.arrived(outerBytes, outerBytes, null, nowNs);
    }
  }

  /// Returns the outer headers of a datagram. In the control connection it counts as if it had come
  /// by its path.
  private static int headerBytes(@Nullable SessionPath by, @Nullable InetSocketAddress from) {
    if (from != null) {
      return OuterHeader.of(from).bytes();
    }
    return by == null ? OuterHeader.IPV4.bytes() : by.budget.headerBytes();
  }

  // The control connection does not tell which link it takes.
  private static String linkOf(@Nullable SessionPath by, @Nullable InetSocketAddress from) {
    return by == null || from == null ? LinkName.UNKNOWN : by.link;
  }

  private Verdict fragment(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    if (DatagramHeader.version(datagram, offset) != DatagramHeader.VERSION) {
      return Verdict.UNSUPPORTED;
    }
    long sequence = opener.restore(datagram, offset);
    Verdict replay = opener.check(sequence);
    if (replay != Verdict.ACCEPTED) {
      return replay;
    }
    Verdict verdict = fragments.take(sequence, datagram, offset, length);
    report(nowNs);
    PartialBody body = fragments.complete();
    return body == null ? verdict : open(body, length, by, from, sink, nowNs);
  }

  /// @param length of the datagram that completes the body
  private Verdict open(
      PartialBody body,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    long before = opener.highest();
    Verdict verdict =
        opener.openLong(
            aead,
            body.header(),
            body.first(),
            body.count(),
            body.sealed(),
            body.sealedBytes(),
            memory.body,
            nowNs);
    int count = body.count();
    int headerBytes = headerBytes(by, from);
    int outerBytes = body.datagramBytes() + count * headerBytes;
    int largest = body.largestDatagramBytes() + headerBytes;
    int code = body.header()[0];
    fragments.giveBack(body);
    if (verdict != Verdict.ACCEPTED) {
      return verdict;
    }
    if (by != null) {
      by.pacing.arrived(outerBytes, largest, ServiceClass.of(code & 3), nowNs);
    }
    boolean newest = accepted(count, length + headerBytes, before, from, nowNs);
    return restore(code, newest, outerBytes, by, linkOf(by, from), sink, nowNs);
  }

  /// Reports lost bodies to the peer, which then makes shorter ones.
  private void report(long nowNs) {
    int total = fragments.incomplete();
    if (total != incomplete) {
      verdicts.add(Verdict.BODY_INCOMPLETE, total - incomplete);
      incomplete = total;
      controls.incomplete(total, nowNs);
    }
  }

  /// Notes an authentic datagram, or the datagrams of a body.
  ///
  /// @param outerBytes that have come from this address for sure: those of a body may have come
  ///   from several
  /// @return true if its sequence is the highest so far
  private boolean accepted(
      int datagrams, int outerBytes, long before, @Nullable InetSocketAddress from, long nowNs) {
    totals.receivedDatagrams(datagrams);
    boolean newest = opener.sequence() > before;
    Verdict heard = path.heard(from, newest, outerBytes, nowNs);
    if (heard != Verdict.ACCEPTED) {
      verdicts.count(heard);
    }
    return newest;
  }

  private Verdict restore(
      int classCode,
      boolean newest,
      int outerBytes,
      @Nullable SessionPath by,
      String link,
      InnerPacketSink sink,
      long nowNs) {
    Arrival arrival =
        memory.arrival.set(
            ServiceClass.of(classCode),
            opener.sequence(),
            newest,
            by == null ? -1 : by.id,
            link,
            nowNs);
    Verdict verdict = restorer.restore(memory.body, opener.bodyBytes(), arrival, outerBytes, sink);
    if (by != null && restorer.hasStamp()) {
      by.pacing.stamped(restorer.stampUs(), nowNs - memory.socketWaitNs);
    }
    return verdict;
  }

  void close() {
    fragments.close();
  }
}
