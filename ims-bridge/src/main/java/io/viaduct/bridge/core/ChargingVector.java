package io.viaduct.bridge.core;

import io.viaduct.sip.FieldText;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/// The IMS charging identifier (ICID) of a session, and the host that made it (RFC 7315 section
/// 4.6). Tokens, reports and charging records carry the ICID alone, as the AVP
/// IMS-Charging-Identifier does (3GPP TS 32.299).
///
/// @param icid value of `icid-value`, 1 to 160 characters
/// @param generatedAt host name or address; empty if the maker did not say
public record ChargingVector(String icid, String generatedAt) {
  // Without the characters that would end the value in the text.
  private static final Pattern ICID = Pattern.compile("[\\x21-\\x7e&&[^\"<>,;\\\\]]{1,160}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{0,64}");

  public ChargingVector {
    if (!ICID.matcher(icid).matches()) {
      throw new IllegalArgumentException(
          "icid-value must be 1..160 visible characters without \" < > , ; and \\");
    }
    if (!HOST.matcher(generatedAt).matches()) {
      throw new IllegalArgumentException("icid-generated-at must be a host of at most 64 bytes");
    }
  }

  /// Makes the vector of a session for which no core has made one.
  ///
  /// @param host of this bridge
  public static ChargingVector made(String host) {
    return new ChargingVector(
        UUID.randomUUID().toString(), HOST.matcher(host).matches() ? host : "");
  }

  /// Reads the value of P-Charging-Vector. Parameters that the bridge does not use, such as those
  /// of the operators' networks, are left out.
  ///
  /// @throws IllegalArgumentException if it has no usable `icid-value`
  static ChargingVector parse(String value) {
    Map<String, String> parameters = FieldText.parameters(value, ';');
    return new ChargingVector(
        parameters.getOrDefault("icid-value", ""),
        parameters.getOrDefault("icid-generated-at", ""));
  }
}
