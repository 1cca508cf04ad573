package io.viaduct.snapt.policy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.viaduct.snapt.napt.Prefix;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One entry of `egress.allow`, `egress.deny` or `credit.reachable`: `[NETWORK]
/// [tcp|udp|icmp|PROTOCOL-NUMBER [PORT[-PORT]]]`, such as `tcp 25`, `10.1.0.0/16` or `192.0.2.53/32
/// udp 53`.
///
/// @param network null matches every destination
/// @param protocol IANA protocol number, −1 matches every protocol; ICMP also matches ICMPv6
/// @param portFrom first destination port; 0 matches every port
/// @param portTo last destination port
public record EgressRule(@Nullable Prefix network, int protocol, int portFrom, int portTo) {
  static final int ANY = -1;
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMPV6 = 58;
  private static final int PORT_MAX = 65_535;

  /// Parses an entry.
  ///
  /// @throws IllegalArgumentException if the text has another form; the message names both
  @JsonCreator
  public static EgressRule of(String text) {
    ArrayDeque<String> words = new ArrayDeque<>(List.of(text.strip().split("\\s+")));
    String first = words.peekFirst();
    Prefix network =
        first != null && first.indexOf('/') > 0 ? Prefix.of(words.removeFirst()) : null;
    int protocol = words.isEmpty() ? ANY : protocol(words.removeFirst(), text);
    String ports = words.pollFirst();
    if (!words.isEmpty() || (ports != null && protocol != TCP && protocol != UDP)) {
      throw refused(text);
    }
    if (ports == null) {
      return new EgressRule(network, protocol, 0, PORT_MAX);
    }
    String[] ends = ports.split("-", 2);
    int from = number(ends[0], PORT_MAX, text);
    int to = ends.length == 1 ? from : number(ends[1], PORT_MAX, text);
    if (from < 1 || to < from) {
      throw refused(text);
    }
    return new EgressRule(network, protocol, from, to);
  }

  private static int protocol(String word, String text) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "tcp" -> TCP;
      case "udp" -> UDP;
      case "icmp" -> ICMP;
      default -> number(word, 255, text);
    };
  }

  private static int number(String word, int max, String text) {
    try {
      int number = Integer.parseInt(word);
      if (number >= 0 && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // reported below, together with the form
    }
    throw refused(text);
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "an entry of egress.allow, egress.deny or credit.reachable is [NETWORK] [PROTOCOL [PORT[-PORT]]], such as"
            + " 'tcp 25' or '10.1.0.0/16 udp 53', got '"
            + text
            + "'");
  }

  /// Returns true if the entry names a single address. Only such an entry may allow an own address
  /// of the SNAPT, for a service on the same host.
  public boolean namesHost() {
    return network != null && network.hostBits() == 0;
  }

  /// Returns true if the entry has ports; fragments without ports are then a special case.
  public boolean hasPorts() {
    return portFrom > 0;
  }

  /// Returns whether a packet of a protocol matches the entry's protocol.
  public boolean covers(int packetProtocol) {
    return protocol == ANY
        || protocol == packetProtocol
        || (protocol == ICMP && packetProtocol == ICMPV6);
  }

  @JsonValue
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(network == null ? "" : network + " ");
    if (protocol != ANY) {
      text.append(
          switch (protocol) {
            case TCP -> "tcp";
            case UDP -> "udp";
            case ICMP -> "icmp";
            default -> String.valueOf(protocol);
          });
    }
    if (hasPorts()) {
      text.append(' ').append(portFrom).append(portTo == portFrom ? "" : "-" + portTo);
    }
    return text.toString().strip();
  }
}
