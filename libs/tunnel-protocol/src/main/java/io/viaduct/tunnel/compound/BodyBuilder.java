package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.dictionary.SendContext;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.VarInt;
import org.jspecify.annotations.Nullable;

/// Writes the body of a compound: the records of each group become one block.
final class BodyBuilder {
  private final ServiceClass serviceClass;
  private int capacity;
  private final CompoundMemory memory;
  private final BlockCompressor compressor;
  private final ClassCodecs codecs;

  // The groups of the last body.
  private final @Nullable SendContext[] context = new SendContext[Staging.GROUPS_MAX];
  private final int[] epoch = new int[Staging.GROUPS_MAX];
  private final boolean[] enters = new boolean[Staging.GROUPS_MAX];
  private int fitting;

  // The block that is being written.
  private byte[] source = new byte[0];
  private int from;
  private int bytes;
  private int lastRecord;
  private int lastStart;

  BodyBuilder(
      ServiceClass serviceClass,
      int capacity,
      CompoundMemory memory,
      BlockCompressor compressor,
      ClassCodecs codecs) {
    this.serviceClass = serviceClass;
    this.capacity = capacity;
    this.memory = memory;
    this.compressor = compressor;
    this.codecs = codecs;
  }

  void resize(int bytes) {
    capacity = bytes;
  }

  /// Returns an estimate of the number of records that fit, after [#build] has returned −1.
  int fitting() {
    return fitting;
  }

  /// Writes the body of the first `n` records. @return its size, or −1 if they do not fit
  int build(Staging area, int n, Compound compound, long nowNs) {
    compound.forgetAccount();
    compound.begin(serviceClass);
    memory.bodies++;
    for (int i = 0; i < n; i++) {
      if (!compound.account(
          area.flow[i],
          area.packets[i],
          area.preBytes[i],
          area.start[i + 1] - area.start[i],
          area.arrivalNs[i])) {
        fitting = i;
        return -1;
      }
    }
    int at = Compound.BODY;
    int limit = Compound.BODY + capacity;
    int lastGroup = lastGroup(area, n);
    for (int g = area.groups - 1; g >= 0; g--) {
      context[g] = null;
      int members = count(area, n, g);
      if (members > 0) {
        gather(area, n, g, members);
        at = block(area, n, g, g == lastGroup, compound.bytes, at, limit, nowNs);
        if (at < 0) {
          fitting = (int) ((long) n * capacity * 15 / (16L * Math.max(1, -at)));
          return -1;
        }
      }
    }
    return at - Compound.BODY;
  }

  /// Enters the blocks of the last body into their histories. Call it for the body that leaves.
  void remember(Staging area, int n, Compound compound, long nowNs) {
    for (int g = 1; g < area.groups; g++) {
      SendContext of = context[g];
      if (of == null || of.isGone()) {
        continue;
      }
      long block = -1;
      if (enters[g]) {
        block = of.enter(groupBytes(area, n, g), nowNs);
        for (int i = 0; block >= 0 && i < n; i++) {
          if (area.group[i] == g) {
            of.append(area.raw, area.start[i], area.start[i + 1] - area.start[i]);
          }
        }
      }
      compound.history(of, block, epoch[g]);
    }
  }

  private static int groupBytes(Staging area, int n, int g) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
      sum += area.group[i] == g ? area.start[i + 1] - area.start[i] : 0;
    }
    return sum;
  }

  private void gather(Staging area, int n, int g, int members) {
    source = area.raw;
    from = area.start[0];
    bytes = area.start[n] - from;
    lastRecord = n - 1;
    lastStart = area.start[n - 1];
    if (members == n) {
      return;
    }
    source = memory.gathered;
    from = 0;
    bytes = 0;
    for (int i = 0; i < n; i++) {
      if (area.group[i] == g) {
        int length = area.start[i + 1] - area.start[i];
        System.arraycopy(area.raw, area.start[i], source, bytes, length);
        lastRecord = i;
        lastStart = bytes;
        bytes += length;
      }
    }
  }

  /// Writes one block. @return the position behind it, or minus the size that the body would have
  /// had
  private int block(
      Staging area, int n, int g, boolean last, byte[] to, int start, int limit, long nowNs) {
    if (g != Staging.STORED) {
      compressor.compress(
          source,
          from,
          bytes,
          area.groupHost[g],
          codecs.of(serviceClass).step(bytes, nowNs),
          nowNs);
      if (compressor.hasShrunk() || compressor.context == null) {
        observe(area, n, g, bytes, compressor.hasShrunk() ? compressor.length : bytes);
      }
      if (compressor.hasShrunk() || compressor.context != null) {
        int overhead = (last ? 1 : 3) + compressor.headerBytes();
        if (start + overhead + compressor.length > limit) {
          return -(start + compressor.length + overhead + (area.start[n] - bytes) / 2);
        }
        context[g] = compressor.context;
        epoch[g] = compressor.epoch;
        enters[g] = compressor.enters;
        return compressed(last, to, start);
      }
    }
    return stored(area, last, to, start, limit);
  }

  private int compressed(boolean last, byte[] to, int start) {
    SendContext of = compressor.context;
    int descriptor = compressor.codec | (last ? 0 : Record.MORE);
    descriptor |= of == null ? 0 : Record.CONTEXT;
    descriptor |= compressor.enters ? Record.ENTERS : 0;
    int at = start;
    to[at++] = (byte) descriptor;
    if (!last) {
      BigEndian.putShort(to, at, compressor.length);
      at += 2;
    }
    if (compressor.hasShrunk()) {
      BigEndian.putShort(to, at, bytes);
      at += 2;
    }
    if (of != null) {
      at = VarInt.write(to, at, of.id());
      at = VarInt.write(to, at, compressor.epoch);
    }
    System.arraycopy(compressor.from, compressor.at, to, at, compressor.length);
    return at + compressor.length;
  }

  private int stored(Staging area, boolean last, byte[] to, int start, int limit) {
    int at = start;
    int overhead = last ? 1 : 3;
    int lengthAt = area.lengthAt[lastRecord];
    int lengthStart = lengthAt < 0 ? 0 : lengthAt - area.start[lastRecord] + lastStart;
    int lengthBytes = lengthAt < 0 ? 0 : varIntLength(source, lengthStart);
    if (at + overhead + bytes - lengthBytes > limit) {
      return -(at + bytes + overhead);
    }
    to[at++] = (byte) (last ? 0 : Record.MORE);
    if (!last) {
      BigEndian.putShort(to, at, bytes - lengthBytes);
      at += 2;
    }
    if (lengthAt < 0) {
      System.arraycopy(source, from, to, at, bytes);
      return at + bytes;
    }
    int head = lengthStart - from;
    System.arraycopy(source, from, to, at, head);
    to[at + lastStart - from] |= Record.LAST;
    int tail = bytes - head - lengthBytes;
    System.arraycopy(source, lengthStart + lengthBytes, to, at + head, tail);
    return at + head + tail;
  }

  private static void observe(Staging area, int n, int g, int raw, int compressed) {
    int repeated = 0;
    int repeats = 0;
    for (int i = 0; i < n; i++) {
      if (area.group[i] == g && area.repeated[i]) {
        repeated += area.start[i + 1] - area.start[i];
        repeats++;
      }
    }
    int fresh = compressed - repeats * CompoundWriter.REPEATED_BYTES;
    FlowState before = null;
    for (int i = 0; i < n; i++) {
      FlowState flow = area.flow[i];
      if (area.group[i] == g && flow != null && flow != before) {
        flow.compression().tried(raw, compressed, raw - repeated, fresh);
        before = flow;
      }
    }
  }

  private static int lastGroup(Staging area, int n) {
    int lowest = Staging.GROUPS_MAX;
    for (int i = 0; i < n; i++) {
      lowest = Math.min(lowest, area.group[i]);
    }
    return lowest;
  }

  private static int count(Staging area, int n, int g) {
    int members = 0;
    for (int i = 0; i < n; i++) {
      members += area.group[i] == g ? 1 : 0;
    }
    return members;
  }

  private static int varIntLength(byte[] bytes, int at) {
    int length = 1;
    while (bytes[at + length - 1] < 0) {
      length++;
    }
    return length;
  }
}
