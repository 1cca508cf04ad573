package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.pacing.WaitingTime;
import io.viaduct.tunnel.path.Candidate;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Seals the queued compounds of one path in order, as runs of datagrams of equal size, and
/// accounts for each byte.
final class DatagramWriter {
  private static final long STAMP_SPACING_NS = 10_000_000;

  /// Longest time between two stamps of a class. A class that sends little is stamped less often,
  /// because 8 bytes are much of its datagrams.
  private static final long STAMP_SPACING_NS_MAX = 1_000_000_000;

  private static final int STAMP_SPACING_DATAGRAMS = 8;

  /// The other paths, as the writer of one path needs them.
  interface OtherPaths {
    /// Returns whether a burst could leave again, by another path or to another address, if it is
    /// lost.
    ///
    /// @param to where it goes; null at the agent, and by the control connection
    boolean mayRepeat(@Nullable InetSocketAddress to);

    /// Returns the queue of copies of a path, null for a path that is not open.
    @Nullable CopyQueue copiesOf(int path);
  }

  private final int pathId;
  private final LoopMemory memory;
  private final Aead aead;
  private final Sealer sealer;
  private final ClassQueues queues;
  private final Pacer pacer;
  private final SessionTotals totals;
  private final PathBudget budget;
  private final OtherPaths others;
  private final RecentBursts recent;
  private final long[] stampedNs = new long[ServiceClass.COUNT];
  private final int[] unstamped = new int[ServiceClass.COUNT];
  private final WaitingTime waiting = new WaitingTime();
  private long heldUntilNs = Long.MAX_VALUE;
  private String link = LinkName.UNKNOWN;
  private @Nullable Candidate candidate;
  private boolean toBoth;

  /// Creates the writer of one path.
  ///
  /// @param recent keeps what may have to leave again by another path
  DatagramWriter(
      int pathId,
      LoopMemory memory,
      Aead aead,
      Sealer sealer,
      ClassQueues queues,
      Pacer pacer,
      SessionTotals totals,
      PathBudget budget,
      OtherPaths others,
      RecentBursts recent,
      long nowNs) {
    this.pathId = pathId;
    this.memory = memory;
    this.aead = aead;
    this.sealer = sealer;
    this.queues = queues;
    this.pacer = pacer;
    this.totals = totals;
    this.budget = budget;
    this.others = others;
    this.recent = recent;
    Arrays.fill(stampedNs, nowNs - STAMP_SPACING_NS_MAX);
  }

  /// Returns the time at which paced datagrams may leave; Long.MAX_VALUE if none is held back.
  long heldUntilNs() {
    return heldUntilNs;
  }

  /// Returns the time for which datagrams have waited for the path, in ns since it began.
  long waitedNs(long nowNs) {
    return waiting.sumNs(nowNs);
  }

  /// Returns whether pacing holds a datagram back.
  boolean isHeld() {
    return heldUntilNs != Long.MAX_VALUE;
  }

  /// Sends the queued compounds.
  ///
  /// @param boundTo null for the agent, whose peer is fixed, and for a control connection
  /// @param copyTo a new address of the path, which gets second copies within its credit
  /// @param both true if nothing may leave without a second copy
  /// @param overLink the device's link that the sink leads over
  /// @return true if more is ready
  boolean drain(
      DatagramSink sink,
      @Nullable InetSocketAddress boundTo,
      @Nullable Candidate copyTo,
      boolean both,
      String overLink,
      long nowNs) {
    link = overLink;
    candidate = copyTo;
    toBoth = both;
    boolean more = send(sink, boundTo, nowNs);
    waiting.set(more || isHeld(), nowNs);
    return more;
  }

  private boolean send(DatagramSink sink, @Nullable InetSocketAddress boundTo, long nowNs) {
    heldUntilNs = Long.MAX_VALUE;
    while (!queues.isEmpty()) {
      if (!sink.isWritable()) {
        return true;
      }
      int allowance = pacer.allowance(nowNs);
      if (allowance == 0) {
        heldUntilNs = pacer.holdUntilNs();
        return false;
      }
      Compound next = queues.peek();
      if (next == null || toBoth && !isPaid(next)) {
        return false;
      }
      if (next.isLong()) {
        fragments(next, sink, boundTo, nowNs);
      } else {
        burst(sink, boundTo, allowance, nowNs);
      }
    }
    return false;
  }

  // True if the new address may have a copy of the next datagram, whatever is added to it.
  private boolean isPaid(Compound next) {
    return candidate != null
        && !next.isLong()
        && outerBytes(next, candidate) <= Math.min(candidate.credit(), budget.mtu.size());
  }

  private static int outerBytes(Compound next, Candidate to) {
    return bytes(next) + Record.STAMP_BLOCK_BYTES + headerBytes(to);
  }

  private static int headerBytes(Candidate of) {
    return OuterHeader.of(of.address()).bytes();
  }

  private static int bytes(Compound compound) {
    return Sealer.OVERHEAD + compound.bodyBytes();
  }

  /// Drops a compound that waits for this path, because no other path may carry it. It takes a
  /// sequence all the same: the histories know its blocks as those of a lost datagram.
  ///
  /// @return the number of its packets
  int drop(Compound compound, long nowNs) {
    compound.sealed(sealer.skip(nowNs));
    int dropped = 0;
    for (int i = 0; i < compound.entries(); i++) {
      FlowState flow = compound.flow(i);
      if (flow != null) {
        leaves(flow, compound.packets(i), nowNs);
      }
      dropped += compound.packets(i);
    }
    memory.compounds.giveBack(compound);
    return dropped;
  }

  private void leaves(FlowState flow, int packets, long nowNs) {
    flow.queued(-packets);
    if (flow.queued() == 0) {
      flow.leaves(pathId, waiting.sumNs(nowNs));
    }
  }

  /// Sends a long body in datagrams of its own.
  private void fragments(
      Compound compound, DatagramSink sink, @Nullable InetSocketAddress to, long nowNs) {
    queues.take(compound, nowNs);
    boolean bound = compound.isBound();
    boolean stamp = stampDue(compound.serviceClass().ordinal(), nowNs);
    int start = startOf(compound, stamp, nowNs);
    compound.sealed(sealer.sequence());
    ByteBuf burst = memory.rentBurst();
    int datagramBytes = budget.datagramBytesMax();
    long before = sealer.sequence();
    int length =
        sealer.sealLong(
            aead,
            compound.serviceClass(),
            compound.bytes(),
            start,
            compound.bodyAt() + compound.bodyBytes() - start,
            memory.sealed,
            burst,
            datagramBytes,
            nowNs);
    int datagrams = (int) (sealer.sequence() - before);
    budget.mtu.sent(budget.mtu.size(), datagrams, nowNs);
    account(compound, datagrams, length + datagrams * budget.headerBytes(), nowNs);
    memory.compounds.giveBack(compound);
    pacer.sent(length + datagrams * budget.headerBytes(), nowNs);
    give(sink, burst.writerIndex(length), datagramBytes, bound, to, nowNs);
  }

  private static void give(
      DatagramSink sink,
      ByteBuf burst,
      int segmentBytes,
      boolean bound,
      @Nullable InetSocketAddress to,
      long nowNs) {
    if (bound) {
      sink.sendBound(burst, segmentBytes, to, nowNs);
    } else {
      sink.send(burst, segmentBytes, to, nowNs);
    }
  }

  private void burst(DatagramSink sink, @Nullable InetSocketAddress to, int allowance, long nowNs) {
    ByteBuf burst = memory.rentBurst();
    int filled = 0;
    int segmentBytes = 0;
    int segments = 0;
    int copyPath = FlowState.NO_PATH;
    boolean mayRepeat = others.mayRepeat(to);
    boolean kept = false;
    boolean bound = false;
    boolean toCandidate = candidate != null && candidate.credit() > 0;
    for (Compound next = queues.peek(); next != null && !next.isLong(); next = queues.peek()) {
      int length = bytes(next);
      int c = next.serviceClass().ordinal();
      boolean stamp =
          stampDue(c, nowNs)
              && (segments == 0 || length + Record.STAMP_BLOCK_BYTES <= segmentBytes);
      length += stamp ? Record.STAMP_BLOCK_BYTES : 0;
      boolean boundToo = next.isBound();
      int nextCopyPath = boundToo ? FlowState.NO_PATH : copyPathOf(next);
      boolean keptToo =
          mayRepeat
              && !boundToo
              && nextCopyPath == FlowState.NO_PATH
              && next.serviceClass().isLowDelay();
      if (segments == 0) {
        segmentBytes = length;
        copyPath = nextCopyPath;
        kept = keptToo;
        bound = boundToo;
      } else if (length > segmentBytes
          || boundToo != bound
          || nextCopyPath != copyPath
          || keptToo != kept
          || segments == LoopMemory.BURST_SEGMENTS_MAX
          || filled + length > LoopMemory.BURST_BYTES_MAX
          || filled >= allowance
          || toCandidate) { // one by one, so that the credit is used up
        break;
      }
      queues.take(next, nowNs);
      boolean twice = kept || copyPath != FlowState.NO_PATH || toCandidate;
      int type = twice ? DatagramHeader.TYPE_COPIED : DatagramHeader.TYPE_DATA;
      filled += seal(next, type, stamp, burst, filled, nowNs);
      segments++;
      if (length < segmentBytes) {
        break;
      }
    }
    pacer.sent(filled + segments * budget.headerBytes(), nowNs);
    budget.mtu.sent(segmentBytes + budget.headerBytes(), segments, nowNs);
    CopyQueue second = copyPath == FlowState.NO_PATH ? null : others.copiesOf(copyPath);
    if (second != null) {
      second.copy(burst, filled, segmentBytes, nowNs);
    } else if (kept) {
      recent.add(burst, filled, segmentBytes, nowNs);
    }
    ByteBuf copy = toCandidate ? copyOf(burst, filled) : null;
    give(sink, burst.writerIndex(filled), segmentBytes, bound, to, nowNs);
    if (copy != null) {
      sendCopy(copy, sink, nowNs);
    }
  }

  // Null if the new address has not the credit, or its outer headers leave less room.
  private @Nullable ByteBuf copyOf(ByteBuf datagram, int length) {
    Candidate to = candidate;
    int outerBytes = to == null ? 0 : length + headerBytes(to);
    return to == null || outerBytes > to.credit() || outerBytes > budget.mtu.size()
        ? null
        : memory.allocator.directBuffer(length).writeBytes(datagram, 0, length);
  }

  /// Sends a second copy to the new address, unless the sink is full now. Its loss says nothing
  /// about the path, so it does not count as sent by it.
  private void sendCopy(ByteBuf copy, DatagramSink sink, long nowNs) {
    Candidate to = candidate;
    int length = copy.readableBytes();
    if (to == null || !sink.isWritable() || !to.pays(length + headerBytes(to))) {
      copy.release();
      return;
    }
    totals.sentOverhead(length + headerBytes(to));
    sink.send(copy, length, to.address(), nowNs);
  }

  /// Returns the second path that a compound takes, because one of its flows asks for it.
  private int copyPathOf(Compound compound) {
    for (int i = 0; i < compound.entries(); i++) {
      FlowState flow = compound.flow(i);
      if (flow != null && flow.copyPath() != FlowState.NO_PATH && flow.copyPath() != pathId) {
        return flow.copyPath();
      }
    }
    return FlowState.NO_PATH;
  }

  private boolean stampDue(int c, long nowNs) {
    long sinceNs = nowNs - stampedNs[c];
    return sinceNs >= STAMP_SPACING_NS_MAX
        || sinceNs >= STAMP_SPACING_NS && unstamped[c] >= STAMP_SPACING_DATAGRAMS;
  }

  private int seal(Compound compound, int type, boolean stamp, ByteBuf burst, int at, long nowNs) {
    int start = startOf(compound, stamp, nowNs);
    compound.sealed(sealer.sequence());
    int length =
        sealer.seal(
            aead,
            type,
            compound.serviceClass(),
            compound.bytes(),
            start,
            compound.bodyAt() + compound.bodyBytes() - start,
            burst,
            at,
            nowNs);
    account(compound, 1, length + budget.headerBytes(), nowNs);
    memory.compounds.giveBack(compound);
    return length;
  }

  /// Returns the start of the body, with a stamp in front of it if one is due.
  private int startOf(Compound compound, boolean stamp, long nowNs) {
    int c = compound.serviceClass().ordinal();
    unstamped[c]++;
    if (!stamp) {
      return compound.bodyAt();
    }
    unstamped[c] = 0;
    stampedNs[c] = nowNs;
    int start = compound.bodyAt() - Record.STAMP_BLOCK_BYTES;
    ControlQueue.writeStampBlock(compound.bytes(), start, (int) (nowNs / 1000));
    return start;
  }

  /// Shares the outer bytes among the flows in proportion to their records. The shares add up
  /// exactly.
  private void account(Compound compound, int datagrams, int outerBytes, long nowNs) {
    totals.sentDatagrams(datagrams);
    int records = 0;
    for (int i = 0; i < compound.entries(); i++) {
      records += compound.recordBytes(i);
    }
    long cumulated = 0;
    long given = 0;
    for (int i = 0; i < compound.entries(); i++) {
      cumulated += compound.recordBytes(i);
      long upTo = outerBytes * cumulated / Math.max(1, records);
      long share = upTo - given;
      given = upTo;
      FlowState flow = compound.flow(i);
      int packets = compound.packets(i);
      if (flow == null && packets == 0) {
        totals.sentOverhead(share);
        continue;
      }
      if (flow != null) {
        leaves(flow, packets, nowNs);
      }
      long waitUs = (packets * nowNs - compound.arrivalSumNs(i)) / 1000;
      FlowCounters counters = flow == null ? totals.sentFlowless() : flow.sent();
      counters.packets(packets, compound.preBytes(i), waitUs);
      counters.outer(share);
      if (flow != null) {
        flow.link().carried(link, share);
      }
      totals.sent(compound.serviceClass()).packets(packets, compound.preBytes(i), waitUs);
      totals.sent(compound.serviceClass()).outer(share);
    }
  }
}
