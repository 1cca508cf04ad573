package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.dictionary.SendContext;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Body of one datagram (or of one run of fragments) that is closed and waits to be sent, with the
/// account of its packets.
///
/// Pooled. In front of the body is room for a block with the STAMP, whose time is known only when
/// the compound leaves.
public final class Compound {
  /// Largest number of distinct flows per compound: it bounds the work of sharing its bytes among
  /// them.
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

  /// Begins a body that is sealed as a whole and travels in several datagrams.
  Compound beginLong(ServiceClass ofClass) {
    begin(ofClass).inFragments = true;
    return this;
  }

  /// Adds a record to the account of its flow. Records without a flow have two accounts: one for
  /// packets, one for control records. @return false if that would be the 17th account
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

  /// Notes that one of the blocks belongs to a history.
  ///
  /// @param block −1 if the block does not enter the history
  void history(SendContext context, long block, int epoch) {
    contexts[histories] = context;
    historyBlocks[histories] = block;
    epochs[histories++] = epoch;
    context.queued(epoch);
  }

  /// Returns whether a rule of the device binds one of the flows to a path.
  public boolean isBound() {
    for (int i = 0; i < entries; i++) {
      FlowState flow = flows[i];
      if (flow != null && FlowRoute.isBinding(flow.route())) {
        return true;
      }
    }
    return false;
  }

  /// Returns whether the rules of the device let all its flows leave by a path.
  public boolean mayLeaveBy(int path) {
    for (int i = 0; i < entries; i++) {
      FlowState flow = flows[i];
      if (flow != null && !FlowRoute.letsLeaveBy(flow.route(), path)) {
        return false;
      }
    }
    return true;
  }

  /// Tells the histories the sequence of the datagram that carries this compound.
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

  /// Returns the start of the body, [Record#STAMP_BLOCK_BYTES] into the array.
  public int bodyAt() {
    return BODY;
  }

  public int bodyBytes() {
    return length;
  }

  /// Returns whether the body is sealed as one and travels in fragments. Their size is set when it
  /// leaves.
  public boolean isLong() {
    return inFragments;
  }

  /// Makes the body travel in fragments if it is longer than this.
  public void fit(int bodyBytesMax) {
    inFragments |= length > bodyBytesMax;
  }

  public ServiceClass serviceClass() {
    return serviceClass;
  }

  public int entries() {
    return entries;
  }

  /// Returns the flow of an account.
  ///
  /// @return null for records without a flow: packets or, if the account has none, control records
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

  /// Returns the sum of the arrival times of the entry's packets. It wraps, and so do its
  /// differences.
  public long arrivalSumNs(int entry) {
    return arrivalSumNs[entry];
  }

  /// Returns the time at which the compound was closed and queued.
  public long queuedNs() {
    return queuedNs;
  }

  public void queuedNs(long nowNs) {
    queuedNs = nowNs;
  }

  /// Returns the next compound in the queue or pool that holds this one.
  public @Nullable Compound next() {
    return next;
  }

  public void next(@Nullable Compound following) {
    next = following;
  }
}
