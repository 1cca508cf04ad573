package io.viaduct.cnapt.links;

import io.viaduct.service.configuration.ConfigurationFile;
import java.util.List;
import java.util.stream.Stream;

/// A list of rules about links; the first one that matches decides.
///
/// @param links the rules. Those of the operator are followed by the built-in ones of
///   `LinkRules.yml`, of which the last one matches every link
public record LinkRules(List<LinkRule> links) {
  private static final int RULES_MAX = 100;

  /// Copies the list.
  public LinkRules {
    links = List.copyOf(links);
  }

  /// Returns the operator's rules, followed by the built-in ones.
  ///
  /// @throws IllegalArgumentException if an operator's rule can never decide
  public static LinkRules of(List<LinkRule> own) {
    check(own);
    List<LinkRule> builtIn = ConfigurationFile.defaults(LinkRules.class).links();
    return new LinkRules(Stream.concat(own.stream(), builtIn.stream()).toList());
  }

  /// Refuses a rule that can never decide, and rules that leave no link to the device.
  ///
  /// @throws IllegalArgumentException naming the rule, and the earlier one that covers it
  public static void check(List<LinkRule> own) {
    if (own.size() > RULES_MAX) {
      throw new IllegalArgumentException(
          "links must have at most %d lines, got %d".formatted(RULES_MAX, own.size()));
    }
    for (int later = 1; later < own.size(); later++) {
      for (int earlier = 0; earlier < later; earlier++) {
        if (own.get(earlier).name().covers(own.get(later).name())) {
          throw new IllegalArgumentException(
              "links: line %d (%s) can never decide, because line %d (%s) matches all its links:"
                      .formatted(
                          later + 1, own.get(later).name(), earlier + 1, own.get(earlier).name())
                  + " put it before that line or delete it");
        }
      }
    }
    refuseWithoutLink(own);
  }

  private static void refuseWithoutLink(List<LinkRule> own) {
    for (int line = 0; line < own.size() && own.get(line).allowed() == LinkUse.NO; line++) {
      if (own.get(line).name().covers(LinkPattern.EVERY)) {
        throw new IllegalArgumentException(
            ("links: line %d (%s) leaves no link to the device, so it would carry nothing: put a"
                    + " line for a link that may be used before it, with use yes or spare")
                .formatted(line + 1, own.get(line).name()));
      }
    }
  }

  /// Returns whether a link that a pattern means may ever be used.
  public boolean mayUse(LinkPattern some) {
    for (LinkRule each : links) {
      if (each.allowed() != LinkUse.NO && each.name().meets(some)) {
        return true;
      }
      if (each.allowed() == LinkUse.NO && each.name().covers(some)) {
        return false;
      }
    }
    return false;
  }

  /// Returns the rule for an interface.
  LinkRule rule(String name) {
    return links.stream()
        .filter(rule -> rule.name().matches(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no built-in rule matches " + name));
  }
}
