package io.viaduct.cnapt.tunnel;

import io.netty.channel.EventLoop;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Tells programs of this host of flows: `flow`, `class`, `moved`, `statistics` and `end`, one JSON
/// object each ([FlowEvent]). Nothing is built while nobody reads. Owner: the data path's event
/// loop.
///
/// A flow has one number from its first event to its end, whatever sessions carry it ([FlowLife]).
/// The counts are those of the sessions' flow tables, from which the receipts are made too.
public final class FlowEvents implements FlowChanges {
  /// Time between the statistics of a flow that has carried something.
  static final long STATISTICS_MS = 5_000;

  // Flows that are told in one turn of the loop, so that packets need not wait for all.
  private static final int SLICE = 128;

  private final EventLoop loop;
  private final Supplier<List<TunnelEnd>> ends;
  private final ArrayDeque<Due> due = new ArrayDeque<>();
  private @Nullable Output output;
  private InstantSource clock = InstantSource.system(); // until there is an output
  private long lastId;

  /// Takes the events.
  public interface Output {
    /// Returns whether anybody reads.
    boolean isRead();

    /// Takes an event. Must not wait.
    void event(String json);
  }

  /// An event that waits for its turn: `statistics`, or `moved` if nothing is measured.
  private record Due(FlowState flow, FlowNote note, @Nullable FlowMeasures measured) {}

  FlowEvents(EventLoop loop, Supplier<List<TunnelEnd>> ends) {
    this.loop = loop;
    this.ends = ends;
  }

  /// Starts to tell. Any thread may call this.
  public void start(Output to, InstantSource time) {
    loop.execute(() -> {
      output = to;
      clock = time;
      var unused =
          loop.scheduleWithFixedDelay(
              this::tellStatistics, STATISTICS_MS, STATISTICS_MS, TimeUnit.MILLISECONDS);
    });
  }

  /// Tells one reader of all flows that are open. Any thread may call this.
  public void tellOpen(Consumer<String> reader) {
    loop.execute(() -> {
      ArrayDeque<Open> open = new ArrayDeque<>();
      ends.get().forEach(each -> forEach(each, (flow, note) -> open.add(new Open(flow, note))));
      tellOpen(open, reader);
    });
  }

  private record Open(FlowState flow, FlowNote note) {}

  // A flow that has ended before its turn is not told: the reader has got its end.
  private void tellOpen(ArrayDeque<Open> open, Consumer<String> reader) {
    for (int i = 0; i < SLICE && !open.isEmpty(); i++) {
      Open next = open.poll();
      FlowNote note = next.note();
      if (!note.life.isOver()) {
        reader.accept(FlowEvent.flow(id(note), next.flow(), note, clock.millis()));
      }
    }
    if (!open.isEmpty()) {
      loop.execute(() -> tellOpen(open, reader));
    }
  }

  private static void forEach(TunnelEnd end, BiConsumer<FlowState, FlowNote> visitor) {
    TunnelSession of = end.session();
    if (of != null) {
      of.flows()
          .forEach(flow -> {
            if (flow.attachment() instanceof FlowNote note) {
              visitor.accept(flow, note);
            }
          });
    }
  }

  private @Nullable Output readBy() {
    Output to = output;
    return to != null && to.isRead() ? to : null;
  }

  private long id(FlowNote note) {
    if (note.life.eventId == 0) {
      note.life.eventId = ++lastId;
    }
    return note.life.eventId;
  }

  @Override
  public void changed(TunnelEnd of, FlowState flow, boolean isOpen) {
    if (!(flow.attachment() instanceof FlowNote note)) {
      return;
    }
    Output to = readBy();
    if (!isOpen) {
      if (to != null && note.life.isOver()) {
        to.event(FlowEvent.end(id(note), flow, note, clock.millis()));
      }
    } else if (note.life.isInFirstSession()) {
      note.life.eventSnapt = note.snapt;
      if (to != null) {
        to.event(FlowEvent.flow(id(note), flow, note, clock.millis()));
      }
    } else if (note.snapt.equals(of.name())) { // not while the session before still carries
      moved(flow, note);
    }
  }

  @Override
  public void moved(TunnelEnd end) {
    forEach(end, this::moved);
  }

  private void moved(FlowState flow, FlowNote note) {
    if (note.snapt.equals(note.life.eventSnapt)) {
      return;
    }
    if (readBy() == null) {
      note.life.eventSnapt = note.snapt;
    } else {
      tellLater(new Due(flow, note, null));
    }
  }

  /// Tells that the process of a flow, and so its class, is known.
  void classified(FlowState flow, FlowNote note) {
    Output to = readBy();
    if (to != null) {
      to.event(FlowEvent.classified(id(note), flow, note, clock.millis()));
    }
  }

  private void tellStatistics() {
    if (readBy() != null) {
      for (TunnelEnd each : ends.get()) {
        List<PathStatus> paths = each.pathStatus();
        forEach(each, (flow, note) -> tellStatistics(flow, note, paths));
      }
    }
  }

  private void tellStatistics(FlowState flow, FlowNote note, List<PathStatus> paths) {
    FlowLife.Counts before = note.life.eventCounts;
    FlowLife.Counts now = note.life.counts();
    if (now.packets() != before.packets()) {
      note.life.eventCounts = now;
      tellLater(new Due(flow, note, FlowMeasures.of(flow, now.delayMsSince(before), paths)));
    }
  }

  private void tellLater(Due event) {
    if (due.isEmpty()) {
      loop.execute(this::tellSlice);
    }
    due.add(event);
  }

  private void tellSlice() {
    for (int i = 0; i < SLICE && !due.isEmpty(); i++) {
      tell(due.poll());
    }
    if (!due.isEmpty()) {
      loop.execute(this::tellSlice);
    }
  }

  private void tell(Due event) {
    Output to = readBy();
    FlowNote note = event.note();
    FlowLife life = note.life;
    FlowMeasures measured = event.measured();
    if (measured != null) {
      if (to != null && !life.isOver()) {
        to.event(FlowEvent.statistics(id(note), event.flow(), note, measured, clock.millis()));
      }
    } else if (!note.snapt.equals(life.eventSnapt)) {
      life.eventSnapt = note.snapt;
      if (to != null && !life.isOver()) {
        to.event(FlowEvent.moved(id(note), note, clock.millis()));
      }
    }
  }
}
