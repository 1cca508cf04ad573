package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import java.util.List;

/// A running flow with the reason for its path.
///
/// @param line place and criteria of the line of the policy that decides
/// @param method method of this line, and the step of it that applies
/// @param copyLink link of the second path that its packets take too; empty for none
/// @param pathSinceMs time since which its packets take the path; 0 before the first one
/// @param why the numbers that decided, as a sentence
/// @param paths the paths of its session
public record ExplainedFlow(
    DataStatus.FlowStatus flow,
    String line,
    String method,
    String copyLink,
    long pathSinceMs,
    String why,
    List<PathStatus> paths) {
  /// The answer to a question about flows.
  ///
  /// @param flows at most [#FLOWS_MAX] of those that were meant, in no order
  /// @param meant number of running flows that were meant
  /// @param open number of all running flows
  /// @param refused those that were meant and were refused lately
  public record Answer(
      List<ExplainedFlow> flows, int meant, int open, List<DataStatus.RefusedFlow> refused) {
    /// Largest number of flows in an answer.
    public static final int FLOWS_MAX = 20;
  }
}
