package io.viaduct.cnapt.operations;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The answer of `cnapt path explain`: the flow, the rule of its class, and all paths; or why the
/// flow was refused.
///
/// @param isFound true if the agent carries such a flow, or has refused it lately
public record FlowExplanation(boolean isFound, String text) {
  /// Explains the paths of the running flows to a remote address.
  ///
  /// @param status the agent's status as JSON
  /// @param flow remote address and port, and perhaps the local port
  public static FlowExplanation of(String status, List<String> flow) {
    JsonNode root = JsonMapper.shared().readTree(status);
    List<JsonNode> meant = named(root.path("data").path("flows"), flow);
    List<JsonNode> refused = named(root.path("data").path("refusedFlows"), flow);
    if (meant.isEmpty() && !refused.isEmpty()) {
      StringBuilder text = new StringBuilder();
      refused.forEach(each -> text.append(refusal(each)));
      return new FlowExplanation(true, text.toString());
    }
    if (meant.isEmpty()) {
      return new FlowExplanation(
          false,
          "no flow to %s among the %d of %d flows that the status lists; `cnapt status` shows them\n"
              .formatted(
                  String.join(" from port ", flow),
                  root.path("data").path("flows").size(),
                  root.path("data").path("flowsOpen").asInt(0)));
    }
    StringBuilder text = new StringBuilder();
    meant.forEach(each -> text.append(described(each)));
    return new FlowExplanation(true, text + "\n" + PathsText.table(status));
  }

  private static List<JsonNode> named(JsonNode flows, List<String> flow) {
    List<JsonNode> named = new ArrayList<>();
    for (JsonNode each : flows) {
      boolean local = flow.size() == 1 || each.path("localPort").asString("").equals(flow.get(1));
      if (each.path("remote").asString("").equals(flow.getFirst()) && local) {
        named.add(each);
      }
    }
    return named;
  }

  private static String refusal(JsonNode flow) {
    return """
    flow   port %d -> %s, application %s, class %s, refused %.1f s ago (%d packets)
    why    %s; the configuration says snapts.unmet: refuse
    """
        .formatted(
            flow.path("localPort").asInt(0),
            flow.path("remote").asString(""),
            flow.path("application").asString(""),
            flow.path("serviceClass").asString(""),
            flow.path("agoMs").asLong(0) / 1000.0,
            flow.path("packets").asLong(0),
            flow.path("why").asString(""));
  }

  private static String described(JsonNode flow) {
    String serviceClass = flow.path("serviceClass").asString("");
    String link = flow.path("link").asString("");
    return """
    flow   port %d -> %s, application %s, class %s, open for %.1f s
    %spath   %s
    why    %s
    """
        .formatted(
            flow.path("localPort").asInt(0),
            flow.path("remote").asString(""),
            flow.path("application").asString(""),
            serviceClass,
            flow.path("ageMs").asLong(0) / 1000.0,
            snapt(flow),
            link.isEmpty() ? "none yet: no packet has left" : link,
            serviceClass.endsWith("LD")
                ? "its class counts delay: of the paths in use, the one with the least round trip,"
                    + " each percent of loss counted as 10 ms; a second one too while the first one loses"
                : "its class counts rate: it stays on its path while that is in use and not full; one TCP flow that"
                    + " fills its path alone takes all of them");
  }

  // Empty with one SNAPT, and for a flow that the other end has opened.
  private static String snapt(JsonNode flow) {
    String why = flow.path("snaptWhy").asString("");
    return why.isEmpty()
        ? ""
        : "SNAPT  %s%nwhy    %s%n".formatted(flow.path("snapt").asString(""), why);
  }
}
