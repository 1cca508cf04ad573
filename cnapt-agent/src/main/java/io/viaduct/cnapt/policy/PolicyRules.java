package io.viaduct.cnapt.policy;

import java.util.List;

/// The built-in lines of the policy, in `PolicyRules.yml`.
///
/// @param policy lines; the last one matches every flow
public record PolicyRules(List<PolicyRule> policy) {
  /// Copies the list.
  public PolicyRules {
    policy = List.copyOf(policy);
  }
}
