package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.links.LinkPattern;
import io.viaduct.cnapt.links.LinkRule;
import io.viaduct.cnapt.links.LinkRules;
import java.util.List;

/// Compares the links of the method `own` with the key `links`.
public final class OwnLinks {
  private OwnLinks() {}

  /// Refuses a line that binds its flows to a link that is never used: they would never leave.
  ///
  /// @throws IllegalArgumentException naming the line and the link
  public static void check(List<PolicyRule> policy, List<LinkRule> links) {
    LinkRules rules = LinkRules.of(links);
    for (int line = 0; line < policy.size(); line++) {
      for (Step step : policy.get(line).method().steps()) {
        LinkPattern own = step.link().orElse(null);
        if (own != null && !rules.mayUse(own)) {
          throw new IllegalArgumentException(
              ("policy: line %d (%s): 'own %s' carries nothing, because links says use no of %s:"
                      + " allow the link there (use yes or spare), or change the method")
                  .formatted(line + 1, policy.get(line).described(), own, own));
        }
      }
    }
  }
}
