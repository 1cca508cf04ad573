package io.viaduct.tunnel.metering;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.Arrival;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Shares the outer bytes of each received body among the flows of its records, in proportion to
/// them. The shares add up exactly. One object per session, on its event loop.
public final class ReceiveAccounts {
  private static final int NO_DELAY = Integer.MIN_VALUE;

  private final TouchedFlows touchedFlows;
  private final FlowStatsSchedule stats;
  private final SessionTotals totals;

  // The body that is being read.
  private int touched;
  private int overheadRecords;
  private int flowlessRecords;
  private long delayUs;

  public ReceiveAccounts(TouchedFlows touchedFlows, FlowStatsSchedule stats, SessionTotals totals) {
    this.touchedFlows = touchedFlows;
    this.stats = stats;
    this.totals = totals;
  }

  /// Begins a body.
  public void begin() {
    touched = 0;
    overheadRecords = 0;
    flowlessRecords = 0;
    delayUs = NO_DELAY;
  }

  /// Sets the one-way delay of the body.
  public void delay(long us) {
    delayUs = us;
  }

  /// Counts a record that carried no packet.
  public void overhead(int recordBytes) {
    overheadRecords += recordBytes;
  }

  /// Counts a record that carried packets.
  ///
  /// @param flow null for packets without flow
  public void packets(
      Arrival arrival, @Nullable FlowState flow, int recordBytes, int packets, int packetBytes) {
    totals.received(arrival.serviceClass()).packets(packets, packetBytes, 0);
    if (flow == null) {
      totals.receivedFlowless().packets(packets, packetBytes, 0);
      flowlessRecords += recordBytes;
      return;
    }
    touch(flow, recordBytes, arrival.nowNs());
    flow.received().packets(packets, packetBytes, 0);
    stats.changed(flow, arrival.nowNs());
  }

  private void touch(FlowState flow, int recordBytes, long nowNs) {
    if (flow.share() == 0) {
      if (touched == touchedFlows.flows.length) {
        touchedFlows.flows = Arrays.copyOf(touchedFlows.flows, touched * 2);
      }
      touchedFlows.flows[touched++] = flow;
    }
    flow.share(flow.share() + recordBytes);
    flow.touch(nowNs);
  }

  /// Shares the bytes after the body was read.
  ///
  /// @param outerBytes bytes of the datagrams that carried the body, with their outer headers
  public void shareBytes(Arrival arrival, int outerBytes) {
    FlowCounters ofClass = totals.received(arrival.serviceClass());
    long records = overheadRecords + flowlessRecords;
    for (int i = 0; i < touched; i++) {
      FlowState flow = touchedFlows.flows[i];
      records += flow == null ? 0 : flow.share();
    }
    long cumulated = overheadRecords;
    long given =
        records == overheadRecords ? outerBytes : outerBytes * cumulated / Math.max(1, records);
    totals.receivedOverhead(given);
    if (flowlessRecords > 0) {
      cumulated += flowlessRecords;
      long upTo = outerBytes * cumulated / records;
      totals.receivedFlowless().outer(upTo - given);
      ofClass.outer(upTo - given);
      given = upTo;
    }
    for (int i = 0; i < touched; i++) {
      FlowState flow = touchedFlows.flows[i];
      if (flow == null) {
        continue;
      }
      cumulated += flow.share();
      long upTo = outerBytes * cumulated / Math.max(1, records);
      flow.received().outer(upTo - given);
      flow.link().carried(arrival.link(), upTo - given);
      ofClass.outer(upTo - given);
      given = upTo;
      flow.share(0);
      if (delayUs != NO_DELAY) {
        flow.received().delay(delayUs);
        ofClass.delay(delayUs);
      }
      touchedFlows.flows[i] = null;
    }
  }
}
