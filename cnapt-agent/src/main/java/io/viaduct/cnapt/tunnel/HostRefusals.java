package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.cnapt.snapts.SnaptDecision;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.List;

/// Refuses flows of this host: tells their applications ([HostAnswers]) and counts them
/// ([RefusedFlows]). Owner: the data path's event loop.
final class HostRefusals {
  private final HostAnswers answers;
  private final RefusedFlows flows = new RefusedFlows();

  /// @param toHost takes the answers
  HostRefusals(InnerPacketSink toHost) {
    answers = new HostAnswers(toHost);
  }

  /// Refuses a packet of a flow that gets no SNAPT.
  ///
  /// @param application name of its application
  /// @param why the decision, in which the chosen SNAPT misses something
  /// @param by line of the policy by which it is refused
  void refuse(
      IpPacket packet,
      FlowKey key,
      String application,
      SnaptDecision why,
      PolicyLine by,
      long nowNs) {
    flows.refused(key, application, why, by, nowNs);
    answers.refuse(packet, nowNs);
  }

  /// Tells the applications of a session that its SNAPT is lost. The caller then ends the session.
  ///
  /// @return number of flows
  int lost(TunnelSession of, long nowNs) {
    int[] told = {0};
    of.flows()
        .forEach(flow -> {
          if (isOpen(flow) && flow.attachment() instanceof FlowNote note) {
            if (flow.protocol() != IpFields.TCP || note.tcp.hasSent()) {
              answers.end(flow, note.tcp, nowNs);
            }
            told[0]++;
          }
        });
    flows.count(FlowRefusal.SNAPT_LOST, told[0]);
    return told[0];
  }

  private static boolean isOpen(FlowState flow) {
    return !flow.isEnding();
  }

  /// Returns the number of flows that were refused for a reason. Any thread may call this.
  long of(FlowRefusal reason) {
    return flows.of(reason);
  }

  /// Returns the flows that were refused last for want of a SNAPT that meets their class.
  List<DataStatus.RefusedFlow> status(long nowNs) {
    return flows.status(nowNs);
  }

  /// Releases the memory.
  void close() {
    answers.close();
  }
}
