package io.viaduct.cnapt.tunnel;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A reader of [FlowEvents], on the event loop of the flows.
final class ToldEvents implements FlowEvents.Output {
  private final List<JsonNode> events = new ArrayList<>();

  @Override
  public boolean isRead() {
    return true;
  }

  @Override
  public void event(String json) {
    events.add(JsonMapper.shared().readTree(json));
  }

  /// Returns what was told: the name of each event, with these members of it that it has.
  List<String> of(String... members) {
    return events.stream().map(each -> words(each, members)).toList();
  }

  private static String words(JsonNode event, String... members) {
    StringBuilder words = new StringBuilder(event.path("event").asString(""));
    for (String each : members) {
      if (event.has(each)) {
        words.append(' ').append(event.path(each).asString(""));
      }
    }
    return words.toString();
  }
}
