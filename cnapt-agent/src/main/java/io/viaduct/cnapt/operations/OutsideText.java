package io.viaduct.cnapt.operations;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// Formats the traffic that never enters the tunnel.
final class OutsideText {
  private OutsideText() {}

  /// Returns a line for each kind of traffic and each control group; none if all traffic enters the
  /// tunnel.
  static List<String> lines(JsonNode outside) {
    List<String> lines = new ArrayList<>();
    String prefixes = joined(outside.path("prefixes"));
    if (!prefixes.isEmpty()) {
      lines.add(prefixes);
    }
    String users = joined(outside.path("users"));
    if (!users.isEmpty()) {
      lines.add("programs of users " + users);
    }
    for (JsonNode group : outside.path("groups")) {
      lines.add(
          "%d processes of the control group %s"
              .formatted(group.path("processes").asInt(0), group.path("path").asString("")));
    }
    for (JsonNode group : outside.path("awaited")) {
      lines.add("the control group %s, which is not there".formatted(group.asString("")));
    }
    return lines;
  }

  private static String joined(JsonNode list) {
    return list.valueStream().map(each -> each.asString("")).collect(Collectors.joining(", "));
  }
}
