package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.ProtocolName;
import java.util.Arrays;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The answer of `cnapt path explain` as text: each flow with the line that decides, its path, the
/// reason with the numbers that decided, and all paths; and why flows were refused lately.
///
/// @param isFound true if the agent carries such a flow, or has refused it lately
public record FlowExplanation(boolean isFound, String text) {
  /// Formats an answer.
  ///
  /// @param answer that of the agent as JSON, [io.viaduct.cnapt.tunnel.ExplainedFlow.Answer]
  /// @param asked the flow as the user wrote it
  public static FlowExplanation of(String answer, String asked) {
    JsonNode root = JsonMapper.shared().readTree(answer);
    JsonNode flows = root.path("flows");
    JsonNode refused = root.path("refused");
    StringBuilder text = new StringBuilder();
    flows.forEach(each -> text.append(described(each)).append('\n'));
    int more = root.path("meant").asInt(0) - flows.size();
    if (more > 0) {
      text.append("%d more flows are meant; name the local port%n".formatted(more));
    }
    refused.forEach(each -> text.append(refusal(each)));
    if (text.isEmpty()) {
      text.append(
          "no flow to %s is open, nor was one refused lately; %d flows are open, `cnapt status` lists the largest%n"
              .formatted(asked, root.path("open").asInt(0)));
      return new FlowExplanation(false, text.toString());
    }
    return new FlowExplanation(true, text.toString());
  }

  private static String refusal(JsonNode flow) {
    return """
    flow   %s port %d -> %s, application %s, class %s, refused %.1f s ago (%d packets)
    why    %s; %s
    """
        .formatted(
            protocol(flow),
            flow.path("localPort").asInt(0),
            flow.path("remote").asString(""),
            flow.path("application").asString(""),
            flow.path("serviceClass").asString(""),
            flow.path("agoMs").asLong(0) / 1000.0,
            flow.path("packets").asLong(0),
            flow.path("why").asString(""),
            flow.path("rule").asString(""));
  }

  private static String described(JsonNode explained) {
    JsonNode flow = explained.path("flow");
    PathStatus[] paths =
        JsonMapper.shared().treeToValue(explained.path("paths"), PathStatus[].class);
    return String.format(
        Locale.ROOT,
        """
        flow   %s port %d -> %s, application %s, class %s, open for %.1f s
        %sline   %s
        method %s
        path   %s
        why    %s
        %s\
        """,
        protocol(flow),
        flow.path("localPort").asInt(0),
        flow.path("remote").asString(""),
        flow.path("application").asString(""),
        flow.path("serviceClass").asString(""),
        flow.path("ageMs").asLong(0) / 1000.0,
        snapt(flow),
        explained.path("line").asString(""),
        explained.path("method").asString(""),
        path(explained),
        explained.path("why").asString(""),
        PathsText.table(Arrays.asList(paths)));
  }

  private static String protocol(JsonNode flow) {
    return new ProtocolName(flow.path("protocol").asInt(0)).toString();
  }

  private static String path(JsonNode explained) {
    String link = explained.path("flow").path("link").asString("");
    String copy = explained.path("copyLink").asString("");
    return link.isEmpty()
        ? "none"
        : String.format(
            Locale.ROOT,
            "%s, since %.1f s%s",
            link,
            explained.path("pathSinceMs").asLong(0) / 1000.0,
            copy.isEmpty() ? "" : ", a second copy of each packet by " + copy);
  }

  // Empty for a flow that the other end has opened.
  private static String snapt(JsonNode flow) {
    String why = flow.path("snaptWhy").asString("");
    return why.isEmpty() ? "" : "SNAPT  %s: %s%n".formatted(flow.path("snapt").asString(""), why);
  }
}
