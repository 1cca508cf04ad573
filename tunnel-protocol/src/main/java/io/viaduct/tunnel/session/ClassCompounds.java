package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.history.ClassCodecs;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.scheduling.WaitingRule;
import io.viaduct.tunnel.wire.ServiceClass;

/// The open compound of each class, and when it closes towards the queue of its class: when it is
/// full, when its batch has ended and nothing is worth waiting for, when its deadline has passed.
/// What is likely to be followed by copies of itself stays a moment longer than its batch. While
/// its class waits for the path it stays open and fills, which costs nothing.
final class ClassCompounds {
  private final CompoundWriter[] writers = new CompoundWriter[ServiceClass.COUNT];
  private final WaitingRule[] waiting = new WaitingRule[ServiceClass.COUNT];
  private final boolean[] flushAtBatchEnd = new boolean[ServiceClass.COUNT];
  private final boolean[] filling = new boolean[ServiceClass.COUNT];
  private final boolean[] lingering = new boolean[ServiceClass.COUNT];
  private final TunnelTerms terms;
  private final int fillPercent;
  private final LoopMemory memory;
  private final ClassQueues queues;
  private final Pacer pacer;
  private long nowNs;

  ClassCompounds(
      TunnelTerms terms,
      TunnelSettings settings,
      LoopMemory memory,
      ControlQueue controls,
      ClassCodecs codecs,
      BlockCompressor compressor,
      CompoundWriter.Grouping grouping,
      ClassQueues queues,
      Pacer pacer) {
    this.terms = terms;
    this.fillPercent = settings.compoundPercent();
    this.memory = memory;
    this.queues = queues;
    this.pacer = pacer;
    int size = terms.limits().pathMtu();
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      writers[c] =
          new CompoundWriter(
              ServiceClass.of(c),
              terms.bodyBytesMax(size),
              terms.bodyBytesTarget(size, fillPercent),
              grouping,
              codecs,
              compressor,
              memory.compounds,
              controls,
              this::enqueue);
      waiting[c] =
          new WaitingRule(settings.classDeadlines().get(c).toNanos(), memory.timerLateness);
    }
  }

  /// Takes a closed compound.
  void enqueue(Compound compound) {
    int packets = 0;
    for (int i = 0; i < compound.entries(); i++) {
      packets += compound.packets(i);
    }
    int c = compound.serviceClass().ordinal();
    waiting[c].closed(packets);
    lingering[c] = false;
    queues.add(compound, nowNs);
  }

  /// A packet arrives. @param waits whether it may wait for company
  ///
  /// @return where its record goes
  CompoundWriter arrival(ServiceClass of, boolean waits, long now) {
    nowNs = now;
    int c = of.ordinal();
    waiting[c].arrival(now);
    flushAtBatchEnd[c] |= !waits;
    return writers[c];
  }

  /// The TUN device has no more for now: what should not wait is closed.
  void batchEnd(long now) {
    nowNs = now;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      CompoundWriter writer = writers[c];
      boolean leaves = flushAtBatchEnd[c];
      flushAtBatchEnd[c] = false;
      filling[c] = pacer.limits() && queues.bytes(ServiceClass.of(c)) > 0;
      if (!writer.isEmpty() && !filling[c] && (leaves || !stays(c, now))) {
        writer.close();
      }
    }
  }

  private boolean stays(int c, long now) {
    CompoundWriter writer = writers[c];
    if (!lingering[c]) {
      if (waiting[c].shouldWait(writer.packets(), writer.openedNs(), now)) {
        return true;
      }
      lingering[c] = writer.expectsRepeats();
    }
    return lingering[c] && now < leavesNs(c);
  }

  /// When the open compound of a class leaves at the latest.
  private long leavesNs(int c) {
    return writers[c].openedNs() + (lingering[c] ? waiting[c].lingerNs() : waiting[c].patienceNs());
  }

  /// Closes what could fill while its class waited for the path and would be the next now.
  ///
  /// @return whether there was any
  boolean closeFilled(long now) {
    nowNs = now;
    boolean any = false;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (filling[c] && queues.bytes(ServiceClass.of(c)) == 0) {
        filling[c] = false;
        if (!writers[c].isEmpty()) {
          writers[c].close();
          any = true;
        }
      }
    }
    return any;
  }

  /// When [#closeDue] wants to be called, Long.MAX_VALUE for never.
  long dueNs() {
    long next = Long.MAX_VALUE;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (!writers[c].isEmpty()) {
        next = Math.min(next, leavesNs(c));
      }
    }
    return next;
  }

  void closeDue(long now) {
    nowNs = now;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (!writers[c].isEmpty() && now >= leavesNs(c)) {
        writers[c].close();
      }
    }
  }

  /// Control records that wait leave with the next compound of LT_LD, which closes now.
  void flushControls(long now) {
    nowNs = now;
    writers[ServiceClass.LT_LD.ordinal()].flushControls(now);
  }

  /// Datagrams may be of another size from here on; what is open leaves as it is.
  ///
  /// @param size bytes of an outer IP packet
  void resize(int size, long now) {
    nowNs = now;
    for (CompoundWriter writer : writers) {
      writer.resize(terms.bodyBytesMax(size), terms.bodyBytesTarget(size, fillPercent));
    }
  }

  /// The session ends: gives memory back.
  void discard() {
    for (CompoundWriter writer : writers) {
      writer.discard();
    }
    queues.clear(memory.compounds::giveBack);
  }
}
