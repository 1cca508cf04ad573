package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.history.ClassCodecs;
import io.viaduct.tunnel.history.CodecCosts;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The open compound of one service class: takes records until their compressed size reaches the
/// threshold, then closes it towards its queue. Knows nothing of time but what it is told.
public final class CompoundWriter {
  private static final int BLOCK_HEADER_MAX = 11;

  /// A payload that the compound holds already, compressed.
  static final int REPEATED_BYTES = 24;

  private static final int FINGERPRINT_MIN = 64;

  /// For so many records after a repeated one, a compound waits for more of them.
  private static final int REPEATS_REMEMBERED = 32;

  /// A payload is known again so many records later, whatever compound it was in.
  private static final int RECENT = 8;

  private final ServiceClass serviceClass;
  private int capacity;
  private int target;
  private final Grouping grouping;
  private final CompoundMemory memory;
  private final ControlQueue controls;
  private final Consumer<Compound> closed;
  private final ClassCodecs codecs;
  private final BodyBuilder bodies;
  private @Nullable Staging staging;
  private int estimate;
  private long openedNs;
  private int packets;
  private long newestNs;
  private final long[] recent = new long[RECENT];
  private int newest;
  private int repeats;
  private boolean full;

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
      ClassCodecs codecs,
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
    this.codecs = codecs;
    bodies = new BodyBuilder(serviceClass, capacity, memory, compressor, codecs);
  }

  /// Bodies may be of another size from here on; what is open leaves as it is.
  public void resize(int most, int closingAt) {
    close();
    capacity = most;
    target = Math.min(closingAt, most);
    bodies.resize(most);
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

  /// Whether payloads have come more than once of late: a copy costs a twentieth of the first one
  /// if it comes before the compound leaves.
  public boolean expectsRepeats() {
    return repeats > 0;
  }

  ServiceClass serviceClass() {
    return serviceClass;
  }

  /// A packet of a flow with so much payload comes: what there is to compress, whether it will be
  /// or not, decides which codec is worth its time.
  void offered(FlowState flow, int bytes, long nowNs) {
    if (grouping != Grouping.STORED && !flow.compression().isSkipping()) {
      codecs.of(serviceClass).offered(bytes, nowNs);
    }
  }

  /// Whether the next record of a flow should be compressed. Counts the record.
  boolean compresses(FlowState flow, long nowNs) {
    return grouping != Grouping.STORED
        && flow.compression().worthTrying()
        && codecs.of(serviceClass).step(nowNs) != CodecCosts.NONE;
  }

  /// Whether control records wait that would fit into one compound with a record of so much.
  boolean takesAlong(int recordBytes) {
    return controls.length() > 0
        && recordBytes + controls.length() + 2 * BLOCK_HEADER_MAX + 4 <= capacity;
  }

  /// Room for a record of at most `bytes`; closes the open compound first if it might not fit.
  ///
  /// @return the area to write to, at `Staging.bytes()`
  Staging reserve(int bytes, @Nullable FlowState flow, boolean compress) {
    Staging area = staging;
    if (area != null) {
      int expected = compress && flow != null ? flow.compression().expected(bytes) : bytes;
      boolean overflows = estimate + expected + BLOCK_HEADER_MAX > capacity;
      if (overflows && !(compress && repeats > 0) // then commit() knows better
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
      full = false;
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
    int bytes = end - area.start[area.count];
    int group = groupOf(area, flow, compress);
    long fingerprint = group == Staging.STORED ? 0 : fingerprint(area.raw, lengthAt, end);
    int i = area.count;
    area.start[i + 1] = end;
    area.group[i] = group;
    area.fingerprint[i] = fingerprint;
    boolean repeated = area.isRepeated(i, 0);
    area.repeated[i] = repeated;
    repeats =
        repeated || isRecent(fingerprint, flow) ? REPEATS_REMEMBERED : Math.max(0, repeats - 1);
    if (flow != null) {
      flow.queued(ofPackets);
    }
    if (packets == 0) {
      openedNs = nowNs;
    }
    newestNs = nowNs;
    area.lengthAt[i] = lengthAt;
    area.flow[i] = flow;
    area.packets[i] = ofPackets;
    area.preBytes[i] = preBytes;
    area.arrivalNs[i] = nowNs;
    area.count = i + 1;
    packets += ofPackets;
    boolean overflows = estimate + expected(area, i) + BLOCK_HEADER_MAX > capacity;
    if (i > 0 && !repeated && (full || overflows)) {
      leaveBut(area, i);
    }
    estimate += expected(area, area.count - 1);
    full = area.groups > 1 && estimate >= target;
    if (full && repeats == 0 || estimate >= capacity - 16) {
      closeIfFull(area);
    }
  }

  private static int expected(Staging area, int i) {
    FlowState flow = area.flow[i];
    int bytes = area.start[i + 1] - area.start[i];
    if (area.group[i] == Staging.STORED || flow == null) {
      return bytes;
    }
    return area.repeated[i] ? REPEATED_BYTES : flow.compression().expected(bytes);
  }

  /// Of the same remote host: how long a compound waits must not tell one what another was sent.
  private boolean isRecent(long fingerprint, @Nullable FlowState flow) {
    if (fingerprint == 0 || flow == null) {
      return false;
    }
    long host = grouping == Grouping.ALL ? 0 : flow.remoteHigh() * 31 + flow.remoteLow();
    long mixed = fingerprint ^ host * 0x9E3779B97F4A7C15L;
    for (long one : recent) {
      if (one == mixed) {
        return true;
      }
    }
    newest = (newest + 1) % RECENT;
    recent[newest] = mixed;
    return false;
  }

  private static long fingerprint(byte[] raw, int lengthAt, int end) {
    if (lengthAt < 0 || end - lengthAt < FINGERPRINT_MIN) {
      return 0;
    }
    int middle = lengthAt + end >>> 1;
    long mixed = BigEndian.getLong(raw, lengthAt) * 31 + BigEndian.getLong(raw, middle);
    return (mixed * 31 + BigEndian.getLong(raw, end - 8)) * 0x9E3779B97F4A7C15L | 1;
  }

  /// Sends what is before the last record, which is the first of the next compound, unless there is
  /// more room than expected.
  private void leaveBut(Staging area, int n) {
    Compound compound = memory.rent(capacity);
    int size = bodies.build(area, n, compound, newestNs);
    int last = expected(area, n);
    if (size >= 0 && size < target && size + last + BLOCK_HEADER_MAX <= capacity) {
      estimate = size;
      memory.giveBack(compound);
      return;
    }
    emit(area, n, compound, size);
    estimate -= expected(area, area.count - 1); // the caller adds it
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
    emit(area, area.count, compound, size);
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
      emit(area, area.count, compound, bodies.build(area, area.count, compound, newestNs));
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
    area.fingerprint[i] = 0;
    area.repeated[i] = false;
    area.packets[i] = 0;
    area.preBytes[i] = 0;
    area.arrivalNs[i] = 0;
    area.count = i + 1;
    area.start[i + 1] = end;
    estimate += end - at;
  }

  /// Sends the compound of the first records that fit, keeps the others.
  private void emit(Staging area, int built, Compound compound, int builtSize) {
    int n = built;
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
      sum += expected(area, i);
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
