package io.viaduct.cnapt.operations;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Says of each link that a captive portal stands in its way while other links carry, and how it is
/// passed.
final class LinkPortalLine {
  private LinkPortalLine() {}

  /// Returns a line per such link.
  ///
  /// @param status the agent's status
  static List<String> of(JsonNode status) {
    List<String> lines = new ArrayList<>();
    for (JsonNode link : status.path("links")) {
      String page = link.path("portal").asString("");
      if (!page.isEmpty()) {
        lines.add(
            "a captive portal stands in the way of %s: disconnect the other links, and open %s"
                .formatted(link.path("name").asString(""), page));
      }
    }
    return lines;
  }
}
