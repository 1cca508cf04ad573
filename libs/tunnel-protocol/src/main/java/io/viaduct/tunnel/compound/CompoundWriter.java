package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.codec.CodecCosts;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Fills the open compound of one service class: takes records until their compressed size reaches
/// the threshold, then closes the compound and passes it on. Reads no clock; all times are passed
/// in.
public final class CompoundWriter {
  private static final int BLOCK_HEADER_MAX = 11;

  /// Estimated compressed size of a payload that the compound already holds.
  static final int REPEATED_BYTES = 24;

  private static final int FINGERPRINT_MIN = 64;

  /// Number of records after a repeated one during which a compound waits for more of them.
  private static final int REPEATS_REMEMBERED = 32;

  /// Number of recent records with which a payload is compared, in any compound.
  private static final int RECENT = 8;

  private final ServiceClass serviceClass;
  private int capacity;
  private int target;
  private final Grouping grouping;
  private final CompoundMemory memory;
  private final ControlQueue controls;
  private final CompoundSink closed;
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

  /// Rule by which records share a block.
  public enum Grouping {
    REMOTE_HOST,
    ALL,
    STORED
  }

  /// Creates the writer of one class.
  ///
  /// @param capacity largest body, bytes
  /// @param target body size at which a compound closes
  /// @param closed takes the closed compounds
  public CompoundWriter(
      ServiceClass serviceClass,
      int capacity,
      int target,
      Grouping grouping,
      ClassCodecs codecs,
      BlockCompressor compressor,
      CompoundMemory memory,
      ControlQueue controls,
      CompoundSink closed) {
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

  /// Sets the body sizes from here on. The open compound leaves as it is.
  public void resize(int most, int closingAt, long nowNs) {
    close(nowNs);
    capacity = most;
    target = Math.min(closingAt, most);
    bodies.resize(most);
  }

  public boolean isEmpty() {
    return staging == null;
  }

  /// Returns the arrival time of the first record of the open compound.
  public long openedNs() {
    return openedNs;
  }

  /// Returns the number of packets in the open compound.
  public int packets() {
    return packets;
  }

  /// Returns whether payloads were repeated lately. A repeated payload costs a twentieth of the
  /// first one if it arrives before the compound leaves.
  public boolean expectsRepeats() {
    return repeats > 0;
  }

  ServiceClass serviceClass() {
    return serviceClass;
  }

  /// Counts the payload of an arriving packet as offered to the codec, whether it will be
  /// compressed or not. The rate of offered payload decides which codec is worth its time.
  void offered(FlowState flow, int bytes, long nowNs) {
    if (grouping != Grouping.STORED && !flow.compression().isSkipping()) {
      codecs.of(serviceClass).offered(bytes, nowNs);
    }
  }

  /// Returns whether the next record of a flow should be compressed, and counts the record.
  boolean shouldCompress(FlowState flow, long nowNs) {
    return grouping != Grouping.STORED
        && flow.compression().shouldTry()
        && codecs.of(serviceClass).step(nowNs) != CodecCosts.NONE;
  }

  /// Returns whether control records wait that fit into one compound with a record of this size.
  boolean carriesControlsWith(int recordBytes) {
    return controls.length() > 0
        && recordBytes + controls.length() + 2 * BLOCK_HEADER_MAX + 4 <= capacity;
  }

  /// Makes room for a record of at most `bytes`. Closes the open compound first if the record might
  /// not fit.
  ///
  /// @return the area to write to, at `Staging.bytes()`
  Staging reserve(int bytes, @Nullable FlowState flow, boolean compress, long nowNs) {
    Staging area = staging;
    if (area != null) {
      int expected = compress && flow != null ? flow.compression().expected(bytes) : bytes;
      boolean overflows = estimate + expected + BLOCK_HEADER_MAX > capacity;
      if (overflows && !(compress && repeats > 0) // then commit() decides with the real contents
          || area.count >= Staging.RECORDS_MAX - 1
          || area.bytes() + bytes > Staging.RAW_BYTES_MAX) {
        close(nowNs);
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

  /// Adds the complete record between `Staging.bytes()` and `end`.
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
      sendAllButLast(area, i, nowNs);
    }
    estimate += expected(area, area.count - 1);
    full = area.groups > 1 && estimate >= target;
    if (full && repeats == 0 || estimate >= capacity - 16) {
      closeIfFull(area, nowNs);
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

  /// Compares only payloads of the same remote host: a compound's waiting time must not reveal to
  /// one host the traffic of another.
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

  /// Sends the records before the last one, which then begins the next compound. Keeps them if
  /// there is more room than expected.
  private void sendAllButLast(Staging area, int n, long nowNs) {
    Compound compound = memory.rent(capacity);
    int size = bodies.build(area, n, compound, newestNs);
    int last = expected(area, n);
    if (size >= 0 && size < target && size + last + BLOCK_HEADER_MAX <= capacity) {
      estimate = size;
      memory.giveBack(compound);
      return;
    }
    emit(area, n, compound, size, nowNs);
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

  private void closeIfFull(Staging area, long nowNs) {
    Compound compound = memory.rent(capacity);
    int size = bodies.build(area, area.count, compound, newestNs);
    if (size >= 0 && size < target && area.bytes() < Staging.RAW_BYTES_MAX) {
      estimate = size; // it shrank more than expected: continue filling
      memory.giveBack(compound);
      return;
    }
    emit(area, area.count, compound, size, nowNs);
  }

  /// Closes the open compound, and the rest of its records if they need more compounds.
  public void close(long nowNs) {
    while (staging != null) {
      Staging area = staging;
      if (controls.length() > 0
          && estimate + controls.length() + BLOCK_HEADER_MAX <= capacity
          && area.count < Staging.RECORDS_MAX) {
        appendControls(area);
      }
      Compound compound = memory.rent(capacity);
      int size = bodies.build(area, area.count, compound, newestNs);
      emit(area, area.count, compound, size, nowNs);
    }
  }

  /// Closes the open compound, or a new one, with the waiting control records.
  public void flushControls(long nowNs) {
    if (controls.length() > 0) {
      Staging area = reserve(controls.length(), null, false, nowNs);
      if (packets == 0) {
        openedNs = nowNs;
      }
      appendControls(area);
      close(nowNs);
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

  /// Sends the compound with as many of the first records as fit, and keeps the others.
  private void emit(Staging area, int built, Compound compound, int builtSize, long nowNs) {
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
    closed.closed(compound, nowNs);
  }

  private static int estimateOf(Staging area) {
    int sum = 1 + (area.groups - 1) * BLOCK_HEADER_MAX;
    for (int i = 0; i < area.count; i++) {
      sum += expected(area, i);
    }
    return sum;
  }

  /// Drops the open compound, because the session ends.
  public void discard() {
    Staging area = staging;
    if (area != null) {
      staging = null;
      memory.giveBack(area);
    }
  }
}
