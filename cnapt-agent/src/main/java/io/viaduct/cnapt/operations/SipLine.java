package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Formats the path to the bridge, which SIP probes measure, as a line below the paths of the
/// tunnel.
final class SipLine {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String NONE = "-";

  private SipLine() {}

  /// Returns the line; empty for an agent without SIP, and before the first probe.
  ///
  /// @param probes of the agent's status
  static String of(JsonNode probes) {
    // The status of an agent of the previous version does not have this object.
    Probes sip = probes.isObject() ? JSON.treeToValue(probes, Probes.class) : Probes.NONE;
    if (sip.sent() == 0) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        PathsText.ROW,
        "sip",
        NONE,
        sip.bridge(),
        state(sip),
        "no", // carries no packets
        PathsText.decimal(sip.roundTripMs()),
        PathsText.decimal(sip.usualRoundTripMs()),
        PathsText.decimal(sip.lossPercent()), // a probe may have been lost in either direction
        PathsText.decimal(sip.lossPercent()),
        NONE,
        NONE,
        NONE,
        sip.agoMs() == null ? NONE : PathsText.seconds(sip.agoMs()),
        why(sip));
  }

  private static String state(Probes sip) {
    Double lossPercent = sip.lossPercent();
    return lossPercent == null ? "unknown" : lossPercent >= 50 ? "dead" : "alive";
  }

  private static String why(Probes sip) {
    return "%s%d of %d SIP probes answered"
        .formatted(sip.isAlone() ? "only SIP passes: " : "", sip.answered(), sip.sent());
  }
}
