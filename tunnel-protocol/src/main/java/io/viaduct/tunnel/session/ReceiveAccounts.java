package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Shares the outer bytes of each received body among the flows whose records were in it, in
/// proportion to them; the shares add up exactly. One session's, on its event loop.
final class ReceiveAccounts {
  private static final int NO_DELAY = Integer.MIN_VALUE;

  private final LoopMemory memory;
  private final FlowStatsSchedule stats;
  private final SessionTotals totals;

  // The body at hand.
  private ServiceClass serviceClass = ServiceClass.HT_HD;
  private long nowNs;
  private int touched;
  private int overheadRecords;
  private int flowlessRecords;
  private long delayUs;

  ReceiveAccounts(LoopMemory memory, FlowStatsSchedule stats, SessionTotals totals) {
    this.memory = memory;
    this.stats = stats;
    this.totals = totals;
  }

  void begin(ServiceClass ofClass, long now) {
    serviceClass = ofClass;
    nowNs = now;
    touched = 0;
    overheadRecords = 0;
    flowlessRecords = 0;
    delayUs = NO_DELAY;
  }

  /// The one-way delay of the body.
  void delay(long us) {
    delayUs = us;
  }

  /// A record that carried no packet.
  void overhead(int recordBytes) {
    overheadRecords += recordBytes;
  }

  /// A record that carried packets.
  ///
  /// @param flow null for those without
  void packets(@Nullable FlowState flow, int recordBytes, int packets, int packetBytes) {
    totals.received(serviceClass).packets(packets, packetBytes, 0);
    if (flow == null) {
      totals.receivedFlowless().packets(packets, packetBytes, 0);
      flowlessRecords += recordBytes;
      return;
    }
    touch(flow, recordBytes);
    flow.received().packets(packets, packetBytes, 0);
    stats.changed(flow, nowNs);
  }

  private void touch(FlowState flow, int recordBytes) {
    if (flow.share() == 0) {
      if (touched == memory.touched.length) {
        memory.touched = Arrays.copyOf(memory.touched, touched * 2);
      }
      memory.touched[touched++] = flow;
    }
    flow.share(flow.share() + recordBytes);
    flow.touch(nowNs);
  }

  /// The body has been taken.
  ///
  /// @param outerBytes of the datagrams that carried it, with their outer headers
  void settle(int outerBytes) {
    long records = overheadRecords + flowlessRecords;
    for (int i = 0; i < touched; i++) {
      FlowState flow = memory.touched[i];
      records += flow == null ? 0 : flow.share();
    }
    long cumulated = overheadRecords;
    long given =
        records == overheadRecords ? outerBytes : outerBytes * cumulated / Math.max(1, records);
    totals.receivedOverheadBytes += given;
    if (flowlessRecords > 0) {
      cumulated += flowlessRecords;
      long upTo = outerBytes * cumulated / records;
      totals.receivedFlowless().outer(upTo - given);
      totals.received(serviceClass).outer(upTo - given);
      given = upTo;
    }
    for (int i = 0; i < touched; i++) {
      FlowState flow = memory.touched[i];
      if (flow == null) {
        continue;
      }
      cumulated += flow.share();
      long upTo = outerBytes * cumulated / Math.max(1, records);
      flow.received().outer(upTo - given);
      totals.received(serviceClass).outer(upTo - given);
      given = upTo;
      flow.share(0);
      if (delayUs != NO_DELAY) {
        flow.received().delay(delayUs);
        totals.received(serviceClass).delay(delayUs);
      }
      memory.touched[i] = null;
    }
  }
}
