package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.classification.NumberSet;
import java.util.Locale;

/// An IP protocol in the configuration: `tcp`, `udp`, `icmp`, or its number (IANA).
public record ProtocolName(int number) {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  /// Parses a name or number.
  public static ProtocolName of(String text) {
    int number =
        switch (text.toLowerCase(Locale.ROOT)) {
          case "tcp" -> FlowIdentity.TCP;
          case "udp" -> FlowIdentity.UDP;
          case "icmp" -> ICMP;
          default -> text.matches("\\d{1,3}") ? Integer.parseInt(text) : 256;
        };
    if (number > 255) {
      throw new IllegalArgumentException(
          "protocol must be tcp, udp, icmp or a number from 0 to 255, got '" + text + "'");
    }
    return new ProtocolName(number);
  }

  /// Returns true for a protocol of a packet; `icmp` includes ICMPv6.
  boolean holds(int protocol) {
    return protocol == number || (number == ICMP && protocol == ICMPV6);
  }

  /// Returns the protocols of packets that are meant.
  NumberSet numbers() {
    NumberSet one = NumberSet.of(number, number);
    return number == ICMP ? one.or(NumberSet.of(ICMPV6, ICMPV6)) : one;
  }

  boolean hasPorts() {
    return number == FlowIdentity.TCP || number == FlowIdentity.UDP;
  }

  @Override
  public String toString() {
    return switch (number) {
      case FlowIdentity.TCP -> "tcp";
      case FlowIdentity.UDP -> "udp";
      case ICMP -> "icmp";
      default -> String.valueOf(number);
    };
  }
}
