package io.viaduct.cnapt.operations;

import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Formats the JSON status of a running agent as text.
public final class StatusText {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int FLOWS_SHOWN = 20;
  private static final int HANDOVERS_SHOWN = 5;

  private StatusText() {}

  /// Returns true if the state of the agent is `up`.
  public static boolean isUp(String json) {
    return JSON.readTree(json).path("state").asString("").equals("up");
  }

  /// Returns the status as text.
  public static String of(String json) {
    JsonNode status = JSON.readTree(json);
    StringBuilder text = new StringBuilder();
    JsonNode session = status.path("session");
    JsonNode data = status.path("data");
    line(text, "state", status.path("state").asString("") + reasons(status));
    JsonNode peer = status.path("peer");
    if (peer.isObject()) {
      line(text, "peer", peer(peer));
    } else {
      snapts(text, status);
    }
    line(
        text,
        "session",
        session.isObject()
            ? "%s, %s, path MTU %d"
                .formatted(
                    session.path("id").asString(""),
                    session.path("aead").asString(""),
                    session.path("pathMtu").asInt(0))
            : "none");
    line(text, "control", control(status.path("control")));
    if (!peer.isObject()) {
      line(text, "trust", trust(status.path("control").path("trustExpires").asString("")));
      line(text, "receipts", receipts(status.path("receipts")));
      line(text, "signalling", signalling(status.path("signalling")));
    }
    line(text, "network", status.path("network").asString(""));
    line(text, "links", links(status.path("links")));
    String portal = status.path("portal").asString("");
    if (!portal.isEmpty()) {
      line(text, "portal", "a captive portal stands in the way: open " + portal);
    }
    LinkPortalLine.of(status).forEach(portalOfLink -> line(text, "portal", portalOfLink));
    status
        .path("strayRoutes")
        .forEach(route ->
            line(
                text,
                "ignored",
                "the route " + route.asString("") + ", which would lead past the tunnel"));
    OutsideText.lines(status.path("outside")).forEach(each -> line(text, "outside", each));
    line(text, "path", path(data));
    JsonNode tun = status.path("tun");
    line(
        text,
        "interface",
        "%s %s %s, MTU %d"
            .formatted(
                tun.path("name").asString(""),
                tun.path("ipv4").asString(""),
                tun.path("ipv6").asString(""),
                tun.path("mtu").asInt(0)));
    classes(text, data.path("classes"));
    flows(text, data);
    refused(text, data.path("refused"));
    handovers(text, status);
    carrierChanges(text, status.path("carrierChanges"));
    return text.toString();
  }

  private static void snapts(StringBuilder text, JsonNode status) {
    JsonNode snapts = status.path("snapts");
    if (snapts.size() > 1) {
      snapts.forEach(each -> line(text, "SNAPT", snapt(each)));
      status.path("watchedSnapts").forEach(each -> line(text, "watched", watched(each)));
    } else {
      JsonNode session = status.path("session");
      line(
          text,
          "SNAPT",
          session.isObject()
              ? session.path("snapt").asString("") + terms(snapts.path(0)) + drain(snapts.path(0))
              : "none");
    }
  }

  private static String watched(JsonNode snapt) {
    JsonNode roundTrip = snapt.path("roundTripMs");
    int unanswered = snapt.path("unanswered").asInt(0);
    return snapt.path("snapt").asString("")
        + (roundTrip.isNumber()
            ? String.format(
                Locale.ROOT,
                ", round trip %.1f ms, %d s ago",
                roundTrip.asDouble(),
                snapt.path("agoMs").asLong(0) / 1_000)
            : ", not measured")
        + (unanswered == 0 ? "" : ", %d times without an answer".formatted(unanswered));
  }

  private static String snapt(JsonNode snapt) {
    JsonNode roundTrip = snapt.path("roundTripMs");
    String failure = snapt.path("lastFailure").asString("");
    return String.format(
        Locale.ROOT,
        "%s, %s%s, %d flows, %.2f Mbit/s%s%s%s%s",
        snapt.path("snapt").asString(""),
        snapt.path("state").asString(""),
        roundTrip.isNumber()
            ? String.format(Locale.ROOT, ", round trip %.1f ms", roundTrip.asDouble())
            : "",
        snapt.path("flows").asInt(0),
        snapt.path("ownBitPerSecond").asDouble() / 1e6,
        terms(snapt),
        drain(snapt),
        snapt.path("established").asBoolean(false) ? "" : ", not connected",
        failure.isEmpty() ? "" : ", last failure: " + failure);
  }

  // A SNAPT that drains takes no new flows while there is another one.
  private static String drain(JsonNode snapt) {
    String deadline = snapt.path("drainDeadline").asString("");
    return snapt.path("draining").asBoolean(false)
        ? ", drains%s with %d flows"
            .formatted(deadline.isEmpty() ? "" : " until " + deadline, snapt.path("flows").asInt(0))
        : "";
  }

  // Prices are beside the operator's tariff, so none is said in words only when there is one.
  private static String terms(JsonNode snapt) {
    String region = snapt.path("region").asString("");
    StringBuilder prices = new StringBuilder();
    snapt
        .path("denariiPerGigabyte")
        .properties()
        .forEach(each ->
            prices
                .append(prices.isEmpty() ? ", surcharge per GB:" : ",")
                .append(
                    String.format(
                        Locale.ROOT, " %s %.2f den", each.getKey(), each.getValue().asDouble())));
    return (region.isEmpty() ? "" : ", region " + region) + prices;
  }

  private static String peer(JsonNode peer) {
    String what = peer.path("role").asString("");
    return "%s, this end %s %s, prefixes %s, watchdog fired %d times%s"
            .formatted(
                peer.path("key").asString(""),
                what.equals("dials") ? "dials" : "listens at",
                words(peer.path("addresses")),
                words(peer.path("prefixes")),
                peer.path("watchdogs").asLong(0),
                peer.path("refusedSources").asLong(0) == 0
                    ? ""
                    : ", %d packets with a source outside of the prefixes refused"
                        .formatted(peer.path("refusedSources").asLong(0)))
        + refusedConnections(peer.path("refusedConnections"));
  }

  private static String refusedConnections(JsonNode refused) {
    StringBuilder text = new StringBuilder();
    refused
        .properties()
        .forEach(each ->
            text.append(text.isEmpty() ? ", refused connections: " : ", ")
                .append(each.getKey())
                .append(' ')
                .append(each.getValue().asLong(0)));
    return text.toString();
  }

  private static String words(JsonNode list) {
    StringBuilder text = new StringBuilder();
    list.forEach(each -> text.append(text.isEmpty() ? "" : ", ").append(each.asString("")));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("%-11s %s%n".formatted(name, value));
  }

  private static String reasons(JsonNode status) {
    StringBuilder reasons = new StringBuilder();
    for (JsonNode reason : status.path("reasons")) {
      reasons.append(reasons.isEmpty() ? ": " : "; ").append(reason.asString(""));
    }
    return reasons.toString();
  }

  private static String links(JsonNode links) {
    StringBuilder text = new StringBuilder();
    for (JsonNode link : links) {
      text.append(text.isEmpty() ? "" : ", ").append(link.path("name").asString(""));
      if (link.path("use").asString("").equals("spare")) {
        text.append(" (spare)");
      }
      if (link.path("signalDbm").isNumber()) {
        text.append(" ").append(link.path("signalDbm").asInt(0)).append(" dBm");
      }
    }
    return text.isEmpty() ? "none" : text.toString();
  }

  private static String control(JsonNode control) {
    String expires = control.path("tokenExpires").asString("");
    String failure = control.path("lastFailure").asString("");
    String credit = control.path("credit").asString("");
    return (control.path("established").asBoolean(false) ? "established" : "not connected")
        + (expires.isEmpty() ? "" : ", token until " + expires)
        + (failure.isEmpty() ? "" : ", last failure: " + failure)
        + (credit.isEmpty() ? "" : "; " + credit);
  }

  // The status of an agent of the previous version does not have this field.
  private static String trust(String expires) {
    return expires.isEmpty() ? "not told" : "certificates until " + expires;
  }

  private static String receipts(JsonNode receipts) {
    return "%d signed, %d refused, %d owed%s"
        .formatted(
            receipts.path("signed").asLong(0),
            receipts.path("refused").asLong(0),
            receipts.path("owed").asLong(0),
            receipts.path("supported").asBoolean(false) ? "" : ", the SNAPT asks for none");
  }

  private static String signalling(JsonNode signalling) {
    String detail = signalling.path("detail").asString("");
    JsonNode roundTrip = signalling.path("probes").path("roundTripMs");
    return "%s, registration %s, subscription %s%s%s"
        .formatted(
            signalling.path("source").asString(""),
            signalling.path("registration").asString(""),
            signalling.path("subscription").asString(""),
            roundTrip.isNumber()
                ? String.format(Locale.ROOT, ", round trip %.1f ms", roundTrip.asDouble())
                : "",
            detail.isEmpty() ? "" : ", " + detail);
  }

  private static String path(JsonNode data) {
    JsonNode roundTrip = data.path("roundTripMs");
    JsonNode delayError = data.path("delayErrorMs");
    int mtu = data.path("pathMtu").asInt(0);
    return "%s to %s%s%s%s%s"
        .formatted(
            data.path("pathState").asString(""),
            data.path("peer").asString(""),
            roundTrip.isNumber()
                ? String.format(Locale.ROOT, ", round trip %.1f ms", roundTrip.asDouble())
                : "",
            delayError.isNumber()
                ? String.format(Locale.ROOT, ", one-way delays ± %.1f ms", delayError.asDouble())
                : "",
            mtu > 0 ? ", MTU " + mtu : "",
            data.path("carrier").asString("").equals("control")
                ? ", in the control connection"
                : "");
  }

  private static void classes(StringBuilder text, JsonNode classes) {
    text.append(
        "%n%-6s %12s %14s %14s %8s%n"
            .formatted("class", "queued B", "inner B", "outer B", "saved"));
    for (JsonNode each : classes) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-6s %12d %14d %14d %7.1f%%%n",
              each.path("serviceClass").asString(""),
              each.path("queuedBytes").asLong(0),
              each.path("preBytes").asLong(0),
              each.path("postBytes").asLong(0),
              each.path("savedPercent").asDouble(0)));
    }
  }

  private static void flows(StringBuilder text, JsonNode data) {
    int shown = 0;
    text.append("%n%d flows%n".formatted(data.path("flowsOpen").asInt(0)));
    for (JsonNode flow : data.path("flows")) {
      if (shown++ == FLOWS_SHOWN) {
        text.append("  ...\n");
        return;
      }
      text.append(
          "  %-6s %-15s %-15s %5d -> %-30s up %d B, down %d B, retransmissions %d%n"
              .formatted(
                  flow.path("serviceClass").asString(""),
                  flow.path("application").asString(""),
                  flow.path("process").asString("-"),
                  flow.path("localPort").asInt(0),
                  flow.path("remote").asString(""),
                  flow.path("sentBytes").asLong(0),
                  flow.path("receivedBytes").asLong(0),
                  flow.path("retransmissions").asLong(0)));
    }
  }

  private static void refused(StringBuilder text, JsonNode refused) {
    if (!refused.isEmpty()) {
      text.append("refused flows:");
      refused
          .properties()
          .forEach(each ->
              text.append(' ')
                  .append(each.getValue().asLong(0))
                  .append(' ')
                  .append(words(each.getKey())));
      text.append('\n');
    }
  }

  private static String words(String reason) {
    return switch (reason) {
      case "delay" -> "because no SNAPT meets the delay of their class";
      case "rate" -> "because no SNAPT meets the rate of their class";
      case "snapt_lost" -> "because their SNAPT has not come back";
      default -> reason;
    };
  }

  private static void carrierChanges(StringBuilder text, JsonNode changes) {
    for (int i = Math.max(0, changes.size() - HANDOVERS_SHOWN); i < changes.size(); i++) {
      JsonNode change = changes.get(i);
      text.append(
          String.format(
              Locale.ROOT,
              "  %s by %s: nothing came for %.1f ms, first answer %s%n",
              change.path("at").asString(""),
              change.path("to").asString("").toLowerCase(Locale.ROOT),
              change.path("silentMs").asDouble(0),
              milliseconds(change.path("resumedMs").asDouble(-1))));
    }
  }

  private static String milliseconds(double answered) {
    return answered < 0 ? "not yet" : String.format(Locale.ROOT, "after %.1f ms", answered);
  }

  private static void handovers(StringBuilder text, JsonNode status) {
    JsonNode handovers = status.path("handovers");
    text.append("%n%d handovers%n".formatted(status.path("handoverCount").asLong(0)));
    for (int i = Math.max(0, handovers.size() - HANDOVERS_SHOWN); i < handovers.size(); i++) {
      JsonNode handover = handovers.get(i);
      double outage = handover.path("outageMs").asDouble(-1);
      text.append(
          String.format(
              Locale.ROOT,
              "  %s %s: %s -> %s, %s%n",
              handover.path("at").asString(""),
              handover.path("cause").asString(""),
              handover.path("from").asString(""),
              handover.path("to").asString(""),
              outage < 0 ? "not answered yet" : String.format(Locale.ROOT, "%.1f ms", outage)));
    }
  }
}
