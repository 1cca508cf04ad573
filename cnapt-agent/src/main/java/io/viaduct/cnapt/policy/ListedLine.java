package io.viaduct.cnapt.policy;

/// A line of the policy, as `cnapt policy lines --json` shows it.
///
/// @param number place in its list, from 1
/// @param builtIn true for a line that the agent adds behind the operator's list
/// @param criteria flows that it matches
/// @param method its method with all steps
/// @param example a flow that it decides about, in the words of `cnapt policy test`; empty for a
///   built-in line
public record ListedLine(
    int number, boolean builtIn, String criteria, String method, String example) {
  /// Returns a line of this policy.
  public static ListedLine of(PolicyLine line, Policy policy) {
    return new ListedLine(
        line.number(),
        line.isBuiltIn(),
        line.rule().described(),
        line.rule().method().toString(),
        policy.example(line).map(FlowExample::toString).orElse(""));
  }
}
