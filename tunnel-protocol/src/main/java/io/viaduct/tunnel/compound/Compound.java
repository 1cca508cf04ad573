package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.history.SendContext;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One closed compound: the body of a datagram that waits for its turn, and whose packets are in
/// it. Pooled. In front of the body is room for a block that carries the STAMP, which is known only
/// when it leaves.
public final class Compound {
  /// Distinct flows per compound, so that the sharing of its bytes is bounded.
  public static final int FLOWS_MAX = 16;

  static final int BODY = Record.STAMP_BLOCK_BYTES;

  final byte[] bytes;
  int length;
  ServiceClass serviceClass = ServiceClass.HT_HD;
  private boolean inFragments;
  private final @Nullable FlowState[] flows = new FlowState[FLOWS_MAX];
  private final int[] packets = new int[FLOWS_MAX];
  private final int[] preBytes = new int[FLOWS_MAX];
  private final int[] recordBytes = new int[FLOWS_MAX];
  private final long[] arrivalSumNs = new long[FLOWS_MAX];
  private int entries;
  private final @Nullable SendContext[] contexts = new SendContext[Staging.GROUPS_MAX];
  private final long[] historyBlocks = new long[Staging.GROUPS_MAX];
  private final int[] epochs = new int[Staging.GROUPS_MAX];
  private int histories;
  private long queuedNs;
  @Nullable Compound next;

  Compound(int bodyBytesMax) {
    bytes = new byte[BODY + bodyBytesMax];
  }

  Compound begin(ServiceClass ofClass) {
    serviceClass = ofClass;
    length = 0;
    inFragments = false;
    return this;
  }

  /// One that is sealed as a whole and travels in several datagrams.
  Compound beginLong(ServiceClass ofClass) {
    begin(ofClass).inFragments = true;
    return this;
  }

  /// Adds a record to the account of its flow; without flow, packets and control records have one
  /// each. @return false if that would be the 17th account
  boolean account(@Nullable FlowState flow, int records, int pre, int ofRecord, long arrivalNs) {
    int i = 0;
    while (i < entries && !(flows[i] == flow && (flow != null || packets[i] > 0 == records > 0))) {
      i++;
    }
    if (i == FLOWS_MAX) {
      return false;
    }
    if (i == entries) {
      entries++;
      flows[i] = flow;
      packets[i] = 0;
      preBytes[i] = 0;
      recordBytes[i] = 0;
      arrivalSumNs[i] = 0;
    }
    packets[i] += records;
    preBytes[i] += pre;
    recordBytes[i] += ofRecord;
    arrivalSumNs[i] += records * arrivalNs;
    return true;
  }

  void forgetAccount() {
    Arrays.fill(flows, 0, entries, null);
    entries = 0;
    Arrays.fill(contexts, 0, histories, null);
    histories = 0;
  }

  /// One of its blocks belongs to a history.
  ///
  /// @param block −1 if it does not enter
  void history(SendContext context, long block, int epoch) {
    contexts[histories] = context;
    historyBlocks[histories] = block;
    epochs[histories++] = epoch;
    context.queued(epoch);
  }

  /// It leaves in the datagram with this sequence.
  public void sealed(long sequence) {
    for (int i = 0; i < histories; i++) {
      SendContext context = contexts[i];
      if (context != null) {
        context.sealed(historyBlocks[i], epochs[i], sequence);
      }
    }
  }

  public byte[] bytes() {
    return bytes;
  }

  /// Where the body starts, [Record#STAMP_BLOCK_BYTES] into the array.
  public int bodyAt() {
    return BODY;
  }

  public int bodyBytes() {
    return length;
  }

  /// Whether it is sealed as one and travels in fragments, of the size that the path has by then.
  public boolean isLong() {
    return inFragments;
  }

  public ServiceClass serviceClass() {
    return serviceClass;
  }

  public int entries() {
    return entries;
  }

  /// @return null for what belongs to no flow: packets without, or if there are none control
  ///   records
  public @Nullable FlowState flow(int entry) {
    return flows[entry];
  }

  public int packets(int entry) {
    return packets[entry];
  }

  public int preBytes(int entry) {
    return preBytes[entry];
  }

  public int recordBytes(int entry) {
    return recordBytes[entry];
  }

  /// Sum of the arrival times of the entry's packets (wraps, as differences of it do).
  public long arrivalSumNs(int entry) {
    return arrivalSumNs[entry];
  }

  /// When it was closed and began to wait for its turn.
  public long queuedNs() {
    return queuedNs;
  }

  public void queuedNs(long nowNs) {
    queuedNs = nowNs;
  }

  /// The next one in whatever queue holds it.
  public @Nullable Compound next() {
    return next;
  }

  public void next(@Nullable Compound following) {
    next = following;
  }
}
