package io.viaduct.tunnel.session;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.scheduling.WaitingRule;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Holds the open compound of each class, and decides when it moves to the queue of its class.
///
/// A compound closes when it is full, when its batch has ended and waiting is not worthwhile, or
/// when its deadline has passed. If copies of its payloads are likely to follow, it waits a moment
/// longer than its batch. While its class waits for the path, it stays open and fills: that costs
/// no time.
final class ClassCompounds {
  private final CompoundWriter[] writers = new CompoundWriter[ServiceClass.COUNT];
  private final WaitingRule[] waiting = new WaitingRule[ServiceClass.COUNT];
  private final boolean[] flushAtBatchEnd = new boolean[ServiceClass.COUNT];
  private final boolean[] filling = new boolean[ServiceClass.COUNT];
  private final boolean[] lingering = new boolean[ServiceClass.COUNT];
  private final boolean[] bound = new boolean[ServiceClass.COUNT];
  private final PathBudget budget;
  private final int fillPercent;
  private final LoopMemory memory;
  private final ClassQueues queues;
  private final Pacer pacer;

  ClassCompounds(
      PathBudget budget,
      TunnelSettings settings,
      LoopMemory memory,
      ControlQueue controls,
      ClassCodecs codecs,
      BlockCompressor compressor,
      CompoundWriter.Grouping grouping,
      ClassQueues queues,
      Pacer pacer) {
    this.budget = budget;
    this.fillPercent = settings.compoundPercent();
    this.memory = memory;
    this.queues = queues;
    this.pacer = pacer;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      writers[c] =
          new CompoundWriter(
              ServiceClass.of(c),
              budget.bodyBytesMax(),
              budget.bodyBytesTarget(fillPercent),
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

  /// Queues a closed compound.
  void enqueue(Compound compound, long nowNs) {
    int packets = 0;
    for (int i = 0; i < compound.entries(); i++) {
      packets += compound.packets(i);
    }
    int c = compound.serviceClass().ordinal();
    waiting[c].closed(packets);
    lingering[c] = false;
    queues.add(compound, nowNs);
  }

  /// Takes the arrival of a packet. Packets that a rule binds to this path share no compound with
  /// others, which may have a copy on another path or leave by it when this one is lost.
  ///
  /// @param waits true if the packet may wait for others
  /// @param isBound true if a rule binds its flow to this path
  /// @return the writer for its record
  CompoundWriter arrival(ServiceClass of, boolean waits, boolean isBound, long nowNs) {
    int c = of.ordinal();
    if (bound[c] != isBound) {
      bound[c] = isBound;
      if (!writers[c].isEmpty()) {
        writers[c].close(nowNs);
      }
    }
    waiting[c].arrival(nowNs);
    flushAtBatchEnd[c] |= !waits;
    return writers[c];
  }

  /// Closes the compounds that should not wait. Call it when the TUN device has no more packets for
  /// now.
  void batchEnd(long nowNs) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      CompoundWriter writer = writers[c];
      boolean leaves = flushAtBatchEnd[c];
      flushAtBatchEnd[c] = false;
      filling[c] = pacer.isLimiting() && queues.bytes(ServiceClass.of(c)) > 0;
      if (!writer.isEmpty() && !filling[c] && (leaves || !stays(c, nowNs))) {
        writer.close(nowNs);
      }
    }
  }

  private boolean stays(int c, long nowNs) {
    CompoundWriter writer = writers[c];
    if (!lingering[c]) {
      if (waiting[c].shouldWait(writer.packets(), writer.openedNs(), nowNs)) {
        return true;
      }
      lingering[c] = writer.expectsRepeats();
    }
    return lingering[c] && nowNs < leavesNs(c);
  }

  /// Returns the latest time at which the open compound of a class leaves.
  private long leavesNs(int c) {
    return writers[c].openedNs() + (lingering[c] ? waiting[c].lingerNs() : waiting[c].patienceNs());
  }

  /// Closes the compounds that filled while their class waited for the path, and whose class has no
  /// other compound left.
  ///
  /// @return true if it closed one
  boolean closeFilled(long nowNs) {
    boolean any = false;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (filling[c] && queues.bytes(ServiceClass.of(c)) == 0) {
        filling[c] = false;
        if (!writers[c].isEmpty()) {
          writers[c].close(nowNs);
          any = true;
        }
      }
    }
    return any;
  }

  /// Returns the time at which [#closeDue] must be called, Long.MAX_VALUE for never.
  long dueNs() {
    long next = Long.MAX_VALUE;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (!writers[c].isEmpty()) {
        next = Math.min(next, leavesNs(c));
      }
    }
    return next;
  }

  void closeDue(long nowNs) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (!writers[c].isEmpty() && nowNs >= leavesNs(c)) {
        writers[c].close(nowNs);
      }
    }
  }

  /// Closes the compound of LT_LD, with the control records that wait.
  void flushControls(long nowNs) {
    writers[ServiceClass.LT_LD.ordinal()].flushControls(nowNs);
  }

  /// Follows the budget of the path from here on. The open compounds leave as they are.
  void resize(long nowNs) {
    for (CompoundWriter writer : writers) {
      writer.resize(budget.bodyBytesMax(), budget.bodyBytesTarget(fillPercent), nowNs);
    }
  }

  /// Makes the queued compounds that no longer fit into a datagram travel in fragments.
  void refit() {
    queues.forEach(compound -> compound.fit(budget.bodyBytesMax()));
  }

  /// Moves everything that waits here to another path. A compound that is too long for a datagram
  /// of that path travels in fragments.
  ///
  /// @param path id of the other path
  /// @param refused takes the compounds that no rule lets leave by it
  void moveTo(ClassCompounds to, int path, Consumer<Compound> refused, long nowNs) {
    for (CompoundWriter writer : writers) {
      if (!writer.isEmpty()) {
        writer.close(nowNs);
      }
    }
    queues.clear(compound -> {
      if (compound.mayLeaveBy(path)) {
        compound.fit(to.budget.bodyBytesMax());
        to.queues.add(compound, compound.queuedNs());
      } else {
        refused.accept(compound);
      }
    });
  }

  /// Takes out of the queues what no rule lets leave by this path any more.
  ///
  /// @param path id of this path
  void refuse(int path, Consumer<Compound> refused, long nowNs) {
    List<Compound> kept = new ArrayList<>();
    for (CompoundWriter writer : writers) {
      if (!writer.isEmpty()) {
        writer.close(nowNs);
      }
    }
    queues.clear(compound -> {
      if (compound.mayLeaveBy(path)) {
        kept.add(compound);
      } else {
        refused.accept(compound);
      }
    });
    kept.forEach(compound -> queues.add(compound, compound.queuedNs()));
  }

  /// Gives the memory back, because the session ends.
  void discard() {
    for (CompoundWriter writer : writers) {
      writer.discard();
    }
    queues.clear(memory.compounds::giveBack);
  }
}
