package io.viaduct.cnapt.policy;

/// A line of the policy with its place.
///
/// @param number place in its list, from 1
/// @param isBuiltIn true for a line that the agent adds behind the operator's list
public record PolicyLine(int number, boolean isBuiltIn, PolicyRule rule) {
  /// Returns the place, for a person.
  public String place() {
    return (isBuiltIn ? "built-in line " : "line ") + number;
  }
}
