package io.viaduct.cnapt.usage;

import io.viaduct.usage.v1.DeviceFlow;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Passes the counts of a session from the data path to the session's reports. The data path opens
/// and closes it; the control loop takes the counts of an interval when it ends.
public final class UsageTap {
  /// Passes nothing: for ends that report nothing.
  public static final UsageTap NONE = new UsageTap(_ -> {});

  private record Source(Executor loop, Supplier<List<DeviceFlow>> counts) {}

  private final Consumer<List<DeviceFlow>> last;
  private volatile @Nullable Source source; // written by the data path's event loop

  /// @param last gets the counts of the interval that the end of the session cuts off
  UsageTap(Consumer<List<DeviceFlow>> last) {
    this.last = last;
  }

  /// Begins the counts.
  ///
  /// @param loop the data path's event loop
  /// @param counts returns the counts since its last call; called on the loop
  public void open(Executor loop, Supplier<List<DeviceFlow>> counts) {
    if (this != NONE) {
      source = new Source(loop, counts);
    }
  }

  /// Ends the counts. Called on the data path's event loop.
  public void close() {
    Source from = source;
    source = null;
    if (from != null) {
      last.accept(from.counts().get());
    }
  }

  /// Takes the counts since the last time, unless the session has ended.
  ///
  /// @param to called on the data path's event loop; must not block
  void take(Consumer<List<DeviceFlow>> to) {
    Source from = source;
    if (from != null) {
      from.loop()
          .execute(() -> {
            if (source == from) {
              to.accept(from.counts().get());
            }
          });
    }
  }
}
