package io.viaduct.testbed.demo;

import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// One charge from billing's REST interface; money in micro-denarii.
record Charge(
    String id,
    Instant start,
    Instant end,
    String snapt,
    String session,
    long epoch,
    long sequence,
    long flow,
    String application,
    String serviceClass,
    String remote,
    long preBytes,
    long postBytes,
    long durationMs,
    double throughputKbitPerSecond,
    double delayMs,
    String delaySource,
    double pricePerUnit,
    long charge,
    long discount,
    long fees,
    long surcharge,
    long refund,
    long net,
    String state,
    String limitedBy,
    String link) {
  static Charge of(JsonNode json) {
    return new Charge(
        json.path("id").asString(),
        Instant.parse(json.path("start").asString()),
        Instant.parse(json.path("end").asString()),
        json.path("snapt").asString(),
        json.path("session").asString(),
        json.path("epoch").asLong(),
        json.path("sequence").asLong(),
        json.path("flow").asLong(),
        json.path("application").asString(),
        json.path("serviceClass").asString(),
        json.path("remoteAddress").asString() + ":" + json.path("remotePort").asInt(),
        json.path("preBytes").asLong(),
        json.path("postBytes").asLong(),
        json.path("durationMs").asLong(),
        json.path("throughputKbitPerSecond").asDouble(),
        json.path("delayMs").asDouble(),
        json.path("delaySource").asString(),
        json.path("pricePerUnit").asDouble(),
        json.path("chargeMicrodenarii").asLong(),
        json.path("discountMicrodenarii").asLong(),
        json.path("accessFeeMicrodenarii").asLong() + json.path("surchargeMicrodenarii").asLong(),
        json.path("surchargeMicrodenarii").asLong(),
        json.path("promiseRefundMicrodenarii").asLong(),
        json.path("netMicrodenarii").asLong(),
        json.path("state").asString(),
        json.path("limitedBy").asString(),
        json.path("link").asString("")); // null if it is not known
  }

  /// Returns the key of which only one charge may exist.
  List<Object> key() {
    return List.of(snapt, session, epoch, sequence, flow);
  }

  /// Says in one sentence what the flow was measured as and what it cost.
  String sentence() {
    String limit =
        switch (limitedBy) {
          case "UTILITY" -> ", limited to the utility received";
          case "CAP" -> ", limited by the cap of a flow";
          default -> "";
        };
    return "%s as %s at %.1f kbit/s, delay %.1f ms: charge %s%s, discount %s, fees %s, net %s"
        .formatted(
            application,
            serviceClass.replace('_', '&'),
            throughputKbitPerSecond,
            delayMs,
            BillingClient.denarii(charge),
            limit,
            BillingClient.denarii(discount),
            BillingClient.denarii(fees),
            BillingClient.denarii(net));
  }
}
