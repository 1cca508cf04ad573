package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// Holds the uncompressed records of an open compound. Pooled: rented with the first record.
final class Staging {
  static final int RECORDS_MAX = 256;
  static final int GROUPS_MAX = 8;

  /// Group of the records that are stored uncompressed.
  static final int STORED = 0;

  /// Largest number of raw bytes in one compound.
  static final int RAW_BYTES_MAX = 24 * 1024;

  final byte[] raw = new byte[RAW_BYTES_MAX + CompoundMemory.LARGE_BODY];
  final int[] start = new int[RECORDS_MAX + 1];
  final int[] lengthAt = new int[RECORDS_MAX];
  final int[] group = new int[RECORDS_MAX];
  final @Nullable FlowState[] flow = new FlowState[RECORDS_MAX];
  final int[] packets = new int[RECORDS_MAX];
  final int[] preBytes = new int[RECORDS_MAX];
  final long[] arrivalNs = new long[RECORDS_MAX];

  /// Fingerprint of the payload, 0 for none; and whether an earlier record of the group has the
  /// same.
  final long[] fingerprint = new long[RECORDS_MAX];

  final boolean[] repeated = new boolean[RECORDS_MAX];
  final @Nullable FlowState[] groupHost = new FlowState[GROUPS_MAX];
  int groups = 1;
  long number;
  int count;

  int bytes() {
    return start[count];
  }

  void clear() {
    for (int i = 0; i < count; i++) {
      flow[i] = null;
    }
    for (int g = 1; g < groups; g++) {
      groupHost[g] = null;
    }
    count = 0;
    groups = 1;
    start[0] = 0;
  }

  /// Returns the compression group of a flow's host. @return −1 if there are too many hosts already
  int groupOf(FlowState ofFlow, boolean oneForAll) {
    for (int g = 1; g < groups; g++) {
      FlowState host = groupHost[g];
      if (oneForAll || host != null && FlowState.sameRemote(host, ofFlow)) {
        return g;
      }
    }
    if (groups == GROUPS_MAX) {
      return -1;
    }
    groupHost[groups] = ofFlow;
    return groups++;
  }

  /// Returns whether a record from `first` on has the same payload and group as this one.
  boolean isRepeated(int record, int first) {
    for (int i = record - 1; i >= first; i--) {
      if (fingerprint[i] == fingerprint[record] && group[i] == group[record]) {
        return fingerprint[record] != 0;
      }
    }
    return false;
  }

  /// Drops the first `n` records, which were sent.
  void dropFirst(int n) {
    int cut = start[n];
    System.arraycopy(raw, cut, raw, 0, bytes() - cut);
    for (int i = n; i < count; i++) {
      start[i - n] = start[i] - cut;
      lengthAt[i - n] = lengthAt[i] < 0 ? -1 : lengthAt[i] - cut;
      group[i - n] = group[i];
      flow[i - n] = flow[i];
      packets[i - n] = packets[i];
      preBytes[i - n] = preBytes[i];
      arrivalNs[i - n] = arrivalNs[i];
      fingerprint[i - n] = fingerprint[i];
      repeated[i - n] = repeated[i] && isRepeated(i, n);
    }
    start[count - n] = start[count] - cut;
    for (int i = count - n; i < count; i++) {
      flow[i] = null;
    }
    count -= n;
    if (count == 0) {
      clear();
    }
  }
}
