package io.viaduct.bridge.core;

import io.viaduct.sip.FieldText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The charging functions that the core names for a user (RFC 7315 section 4.5): hosts or Diameter
/// URIs, the first one first.
///
/// @param ccf charging collection functions, for offline charging (Rf); at most 4
/// @param ecf event charging functions, for online charging (Ro); at most 4
public record ChargingAddresses(List<String> ccf, List<String> ecf) {
  public static final ChargingAddresses NONE = new ChargingAddresses(List.of(), List.of());

  private static final int MOST = 4;
  private static final Pattern ADDRESS = Pattern.compile("[\\x21-\\x7e&&[^\"<>\\\\]]{1,255}");

  public ChargingAddresses {
    ccf = List.copyOf(ccf);
    ecf = List.copyOf(ecf);
    if (ccf.size() > MOST || ecf.size() > MOST) {
      throw new IllegalArgumentException("at most " + MOST + " functions of a kind");
    }
    for (List<String> kind : List.of(ccf, ecf)) {
      if (!kind.stream().allMatch(each -> ADDRESS.matcher(each).matches())) {
        throw new IllegalArgumentException("an address must be 1..255 visible characters");
      }
    }
  }

  /// Reads the values of P-Charging-Function-Addresses. Parameters of other names are left out.
  ///
  /// @throws IllegalArgumentException if an address is malformed, or there are too many
  static ChargingAddresses parse(List<String> values) {
    List<String> ccf = new ArrayList<>();
    List<String> ecf = new ArrayList<>();
    for (String value : values) {
      for (String parameter : FieldText.split(value, ';')) {
        int equals = parameter.indexOf('=');
        String name = parameter.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
        String address = FieldText.unquote(parameter.substring(equals + 1).strip());
        switch (name) {
          case "ccf" -> ccf.add(address);
          case "ecf" -> ecf.add(address);
          default -> {
            // an extension (RFC 7315 section 5.5)
          }
        }
      }
    }
    return new ChargingAddresses(ccf, ecf);
  }
}
