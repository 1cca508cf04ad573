package io.viaduct.cnapt.tunnel;

import io.netty.channel.EventLoop;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Tells programs of this host of flows: `flow`, `class`, `statistics` and `end`, one JSON object
/// each ([FlowEvent]). Nothing is built while nobody reads. Owner: the data path's event loop.
///
/// The counts are those of the session's flow table, from which the receipts are made too.
public final class FlowEvents implements FlowChanges {
  /// Time between the statistics of a flow that has carried something.
  static final long STATISTICS_MS = 5_000;

  // Flows that are told in one turn of the loop, so that packets need not wait for all.
  private static final int SLICE = 128;

  private final EventLoop loop;
  private final Supplier<List<TunnelEnd>> ends;
  private final ArrayDeque<FlowState> due = new ArrayDeque<>();
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
      ArrayDeque<FlowState> open = new ArrayDeque<>();
      forEach(open::add);
      tellOpen(open, reader);
    });
  }

  // A flow that has ended before its turn is not told: the reader has got its end.
  private void tellOpen(ArrayDeque<FlowState> open, Consumer<String> reader) {
    for (int i = 0; i < SLICE && !open.isEmpty(); i++) {
      FlowState flow = open.poll();
      if (!flow.hasEnded() && flow.attachment() instanceof FlowNote note) {
        reader.accept(FlowEvent.flow(id(note), flow, note, clock.millis()));
      }
    }
    if (!open.isEmpty()) {
      loop.execute(() -> tellOpen(open, reader));
    }
  }

  private void forEach(Consumer<FlowState> visitor) {
    for (TunnelEnd each : ends.get()) {
      TunnelSession of = each.session();
      if (of != null) {
        of.flows().forEach(visitor);
      }
    }
  }

  private @Nullable Output readBy() {
    Output to = output;
    return to != null && to.isRead() ? to : null;
  }

  private long id(FlowNote note) {
    if (note.eventId == 0) {
      note.eventId = ++lastId;
    }
    return note.eventId;
  }

  @Override
  public void changed(TunnelEnd of, FlowState flow, boolean isOpen) {
    Output to = readBy();
    if (to != null && flow.attachment() instanceof FlowNote note) {
      to.event(
          isOpen
              ? FlowEvent.flow(id(note), flow, note, clock.millis())
              : FlowEvent.counts("end", id(note), flow, clock.millis()));
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
    boolean isTelling = !due.isEmpty();
    if (readBy() != null) {
      forEach(flow -> {
        if (flow.attachment() instanceof FlowNote note && hasCarried(flow, note)) {
          due.add(flow);
        }
      });
    }
    if (!isTelling) {
      tellSlice();
    }
  }

  private static boolean hasCarried(FlowState flow, FlowNote note) {
    long packets = flow.sent().packets() + flow.received().packets();
    boolean hasMore = packets != note.eventPackets;
    note.eventPackets = packets;
    return hasMore;
  }

  private void tellSlice() {
    Output to = readBy();
    for (int i = 0; i < SLICE && !due.isEmpty(); i++) {
      FlowState flow = due.poll();
      if (to != null && flow.attachment() instanceof FlowNote note) {
        to.event(FlowEvent.counts("statistics", id(note), flow, clock.millis()));
      }
    }
    if (!due.isEmpty()) {
      loop.execute(this::tellSlice);
    }
  }
}
