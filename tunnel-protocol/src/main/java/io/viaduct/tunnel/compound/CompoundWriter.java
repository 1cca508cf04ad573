package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The open compound of one service class: takes records until their compressed size reaches the
/// threshold, then closes it towards its queue. Knows nothing of time but what it is told.
public final class CompoundWriter {
  private static final int BLOCK_HEADER_MAX = 5;

  private final ServiceClass serviceClass;
  private final int capacity;
  private final int target;
  private final Grouping grouping;
  private final CompoundMemory memory;
  private final ControlQueue controls;
  private final Consumer<Compound> closed;
  private final BlockCompressor compressor;
  private final BodyBuilder bodies;
  private @Nullable Staging staging;
  private int estimate;
  private long openedNs;
  private int packets;
  private long newestNs;

  /// Which records share a block.
  public enum Grouping {
    REMOTE_HOST,
    ALL,
    STORED
  }

  /// @param capacity largest body
  /// @param target body size at which a compound closes
  /// @param closed takes what is closed
  public CompoundWriter(
      ServiceClass serviceClass,
      int capacity,
      int target,
      Grouping grouping,
      BlockCompressor compressor,
      CompoundMemory memory,
      ControlQueue controls,
      Consumer<Compound> closed) {
    this.serviceClass = serviceClass;
    this.capacity = capacity;
    this.target = Math.min(target, capacity);
    this.grouping = grouping;
    this.memory = memory;
    this.controls = controls;
    this.closed = closed;
    this.compressor = compressor;
    bodies = new BodyBuilder(serviceClass, capacity, memory, compressor);
  }

  public boolean isEmpty() {
    return staging == null;
  }

  /// Arrival of the first record of the open compound.
  public long openedNs() {
    return openedNs;
  }

  /// Packets in the open compound.
  public int packets() {
    return packets;
  }

  public int capacity() {
    return capacity;
  }

  ServiceClass serviceClass() {
    return serviceClass;
  }

  /// Whether so many bytes of a flow should be compressed. Counts them.
  boolean compresses(FlowState flow, int bytes, long nowNs) {
    return grouping != Grouping.STORED
        && flow.compression().worthTrying()
        && compressor.offered(bytes, nowNs);
  }

  /// Room for a record of at most `bytes`; closes the open compound first if it might not fit.
  ///
  /// @return the area to write to, at `Staging.bytes()`
  Staging reserve(int bytes, @Nullable FlowState flow, boolean compress) {
    Staging area = staging;
    if (area != null) {
      int expected = compress && flow != null ? flow.compression().expected(bytes) : bytes;
      if (estimate + expected + BLOCK_HEADER_MAX > capacity
          || area.count >= Staging.RECORDS_MAX - 1
          || area.bytes() + bytes > Staging.RAW_BYTES_MAX) {
        close();
        area = staging;
      }
    }
    if (area == null) {
      area = memory.rentStaging();
      staging = area;
      estimate = 1;
      packets = 0;
    }
    return area;
  }

  /// The record between `Staging.bytes()` and `end` is complete.
  ///
  /// @param lengthAt position of its length field, −1 if it has none
  void commit(
      int end,
      int lengthAt,
      @Nullable FlowState flow,
      boolean compress,
      int ofPackets,
      int preBytes,
      long nowNs) {
    Staging area = staging;
    if (area == null) {
      throw new IllegalStateException("commit without reserve");
    }
    int i = area.count;
    int bytes = end - area.start[i];
    int group = groupOf(area, flow, compress);
    if (flow != null) {
      flow.queued(ofPackets);
    }
    if (packets == 0) {
      openedNs = nowNs;
    }
    newestNs = nowNs;
    area.lengthAt[i] = lengthAt;
    area.group[i] = group;
    area.flow[i] = flow;
    area.packets[i] = ofPackets;
    area.preBytes[i] = preBytes;
    area.arrivalNs[i] = nowNs;
    area.count = i + 1;
    area.start[i + 1] = end;
    packets += ofPackets;
    estimate +=
        group == Staging.STORED || flow == null ? bytes : flow.compression().expected(bytes);
    if (area.groups > 1 && estimate >= target || estimate >= capacity - 16) {
      closeIfFull(area);
    }
  }

  private int groupOf(Staging area, @Nullable FlowState flow, boolean compress) {
    if (flow == null) {
      return Staging.STORED;
    }
    int group = flow.compression().group(area.number);
    if (group < 0) {
      int before = area.groups;
      group =
          compress
              ? Math.max(Staging.STORED, area.groupOf(flow, grouping == Grouping.ALL))
              : Staging.STORED;
      estimate += area.groups > before ? BLOCK_HEADER_MAX : 0;
      flow.compression().group(area.number, group);
    }
    return group;
  }

  private void closeIfFull(Staging area) {
    Compound compound = memory.rent(capacity);
    int size = bodies.build(area, area.count, compound, newestNs);
    if (size >= 0 && size < target && area.bytes() < Staging.RAW_BYTES_MAX) {
      estimate = size; // it shrank more than expected: go on filling
      memory.giveBack(compound);
      return;
    }
    emit(area, compound, size);
  }

  /// Closes everything that is open.
  public void close() {
    while (staging != null) {
      Staging area = staging;
      if (controls.length() > 0
          && estimate + controls.length() + BLOCK_HEADER_MAX <= capacity
          && area.count < Staging.RECORDS_MAX) {
        appendControls(area);
      }
      Compound compound = memory.rent(capacity);
      emit(area, compound, bodies.build(area, area.count, compound, newestNs));
    }
  }

  /// Puts what control records wait into the open compound, or a new one.
  public void flushControls(long nowNs) {
    if (controls.length() > 0) {
      Staging area = reserve(controls.length(), null, false);
      if (packets == 0) {
        openedNs = nowNs;
      }
      appendControls(area);
      close();
    }
  }

  private void appendControls(Staging area) {
    int i = area.count;
    int at = area.start[i];
    int end = controls.drainTo(area.raw, at);
    area.lengthAt[i] = -1;
    area.group[i] = Staging.STORED;
    area.flow[i] = null;
    area.packets[i] = 0;
    area.preBytes[i] = 0;
    area.arrivalNs[i] = 0;
    area.count = i + 1;
    area.start[i + 1] = end;
    estimate += end - at;
  }

  /// Sends the compound of the first records that fit, keeps the others.
  private void emit(Staging area, Compound compound, int builtSize) {
    int n = area.count;
    int size = builtSize;
    while (size < 0) {
      n = Math.max(1, Math.min(n - 1, bodies.fitting()));
      size = bodies.build(area, n, compound, newestNs);
    }
    bodies.remember(area, n, compound, newestNs);
    compound.length = size;
    if (n == area.count) {
      staging = null;
      memory.giveBack(area);
    } else {
      area.dropFirst(n);
      estimate = estimateOf(area);
      packets = 0;
      for (int i = 0; i < area.count; i++) {
        packets += area.packets[i];
      }
      openedNs = area.arrivalNs[0];
    }
    closed.accept(compound);
  }

  private static int estimateOf(Staging area) {
    int sum = 1 + (area.groups - 1) * BLOCK_HEADER_MAX;
    for (int i = 0; i < area.count; i++) {
      FlowState flow = area.flow[i];
      int bytes = area.start[i + 1] - area.start[i];
      sum +=
          area.group[i] == Staging.STORED || flow == null
              ? bytes
              : flow.compression().expected(bytes);
    }
    return sum;
  }

  /// Drops what is open; the session ends.
  public void discard() {
    Staging area = staging;
    if (area != null) {
      staging = null;
      memory.giveBack(area);
    }
  }
}
