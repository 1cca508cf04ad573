package io.viaduct.snapt;

import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Formats the document `/status` as text.
final class StatusText {
  private StatusText() {}

  /// Returns the text of a document.
  ///
  /// @param json the document `/status`
  static String of(String json) {
    JsonNode status = JsonMapper.shared().readTree(json);
    StringBuilder text = new StringBuilder();
    text.append(
        "%s  start %d  sessions %d of %d  up %.1f Mbit/s  down %.1f Mbit/s  reports waiting %d%n"
            .formatted(
                status.path("id").asString(),
                status.path("epoch").asLong(),
                status.path("sessions").size(),
                status.path("sessionsLimit").asLong(),
                status.path("upBitPerSecond").asDouble() / 1e6,
                status.path("downBitPerSecond").asDouble() / 1e6,
                status.path("reportsPending").asLong()));
    if (status.path("state").asString("").equals("draining")) {
      long deadlineMs = status.path("drainDeadlineMs").asLong();
      text.append(
          "draining: new sessions are refused%s%n"
              .formatted(
                  deadlineMs == 0
                      ? ""
                      : (status.path("group").asString("").isEmpty()
                              ? ", all end at "
                              : ", sessions move to the other members at ")
                          + Instant.ofEpochMilli(deadlineMs)));
    }
    status
        .path("refused")
        .properties()
        .forEach(reason ->
            text.append(
                "refused %-20s %d%n".formatted(reason.getKey(), reason.getValue().asLong())));
    for (JsonNode session : status.path("sessions")) {
      text.append(
          "%-20s %s  at %s%s  moved %d times  round trip %.1f ms%s%s%n"
              .formatted(
                  session.path("account").asString(),
                  session.path("session").asString(),
                  session.path("binding").asString(),
                  session.path("carrier").asString("").equals("control")
                      ? " in its control connection"
                      : "",
                  session.path("moves").asLong(),
                  session.path("roundTripMs").asDouble(),
                  session.path("receipts").asBoolean() ? "" : "  unsigned",
                  credit(session)));
      if (session.path("paths").size() > 1) {
        session.path("paths").forEach(path -> text.append(path(path)));
      }
      for (JsonNode flow : session.path("flows")) {
        text.append(flow(flow));
      }
    }
    return text.toString();
  }

  private static String credit(JsonNode session) {
    String credit = session.path("credit").asString("");
    return credit.equals("sufficient") || credit.isEmpty() ? "" : "  credit " + credit;
  }

  private static String path(JsonNode path) {
    return "  path %d  used %-5s  at %s  round trip %.1f ms  loss down %.1f %% up %.1f %%  %.2f Mbit/s%n"
        .formatted(
            path.path("path").asInt(),
            path.path("use").asString(),
            path.path("address").asString(),
            path.path("roundTripMs").asDouble(),
            path.path("lossPercent").asDouble(),
            path.path("upLossPercent").asDouble(),
            path.path("sentBitPerSecond").asDouble() / 1e6);
  }

  private static String flow(JsonNode flow) {
    long pre = flow.path("upPreBytes").asLong() + flow.path("downPreBytes").asLong();
    long post = flow.path("upPostBytes").asLong() + flow.path("downPostBytes").asLong();
    return "  %-6s %-16s %s %d  %d bytes, %d on the wire  %.1f ms%n"
        .formatted(
            flow.path("serviceClass").asString(),
            flow.path("application").asString(),
            flow.path("remoteAddress").asString(),
            flow.path("remotePort").asLong(),
            pre,
            post,
            flow.path("delayMs").asDouble());
  }
}
