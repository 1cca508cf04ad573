package io.viaduct.cnapt.links;

import java.util.Optional;

/// One line of the configuration key `links`.
///
/// @param name the interfaces that the line decides about
/// @param use use of these links; if empty, `yes`
/// @param cost price of one gigabyte in a unit of the user's choice; only the order of the links'
///   costs matters. If empty, 0
public record LinkRule(LinkPattern name, Optional<LinkUse> use, Optional<Double> cost) {
  /// Checks the cost.
  public LinkRule {
    if (cost.isPresent() && !(cost.get() >= 0 && cost.get() <= 1e9)) {
      throw new IllegalArgumentException(
          "cost must be from 0 to 1000000000, the price of one gigabyte, got " + cost.get());
    }
  }

  LinkUse allowed() {
    return use.orElse(LinkUse.YES);
  }
}
