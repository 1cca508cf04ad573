package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.Decision;
import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PathReason;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.ArrayList;
import java.util.List;

/// Finds the running flows that a person asks about, and explains their paths.
final class FlowAnswers {
  private FlowAnswers() {}

  /// @param refused the flows that were refused lately
  static ExplainedFlow.Answer of(
      TunnelEnds ends, FlowFilter filter, List<DataStatus.RefusedFlow> refused, long nowNs) {
    List<ExplainedFlow> explained = new ArrayList<>();
    int open = 0;
    int meant = 0;
    for (TunnelEnd end : ends.all()) {
      TunnelSession session = end.session();
      if (session == null) {
        continue;
      }
      open += session.flows().size();
      List<FlowState> flows = new ArrayList<>();
      session
          .flows()
          .forEach(flow -> {
            if (filter.holds(DataStatus.flowStatus(flow, end, nowNs))) {
              flows.add(flow);
            }
          });
      meant += flows.size();
      for (FlowState flow : flows) {
        if (explained.size() < ExplainedFlow.Answer.FLOWS_MAX
            && flow.attachment() instanceof FlowNote note) {
          String whySnapt = ends.whyPlaced(end, flow, nowNs);
          explained.add(explained(flow, note, whySnapt, end, session, nowNs));
        }
      }
    }
    return new ExplainedFlow.Answer(
        explained, meant, open, refused.stream().filter(filter::holds).toList());
  }

  private static ExplainedFlow explained(
      FlowState flow,
      FlowNote note,
      String whySnapt,
      TunnelEnd end,
      TunnelSession session,
      long nowNs) {
    PathReason reason = session.reasonOf(flow, nowNs);
    List<PathStatus> paths = end.pathStatus(nowNs);
    FlowPlacement placement = end.placement(flow, note);
    PolicyLine line = placement.line();
    Decision decision = placement.last();
    String method = line.rule().method().toString();
    return new ExplainedFlow(
        DataStatus.flowStatus(flow, whySnapt, end, nowNs),
        line.place() + ": " + line.rule().described(),
        decision == null || decision.step().described().equals(method)
            ? method
            : method + "; now: " + decision.step().described(),
        reason.copyPath() == FlowState.NO_PATH ? "" : end.paths().name(reason.copyPath()),
        reason.path() == FlowState.NO_PATH ? 0 : (nowNs - reason.sinceNs()) / 1_000_000,
        PathWords.why(reason, placement, paths, nowNs),
        paths);
  }
}
