package io.viaduct.radius.accounting;

import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.Attribute;
import io.viaduct.radius.message.RadiusPacket;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// An accounting record of an access server, as an Accounting-Request has it (RFC 2866 section 5).
/// Counts are those of the session until now, so a copy changes nothing.
///
/// @param kind Acct-Status-Type
/// @param session Acct-Session-Id; may be empty if the record is of the access server itself
/// @param user User-Name; likewise
/// @param server NAS-Identifier, NAS-IP-Address or NAS-IPv6-Address; may be empty
/// @param device Calling-Station-Id; may be empty
/// @param address Framed-IP-Address or Framed-IPv6-Address of the device; may be empty
/// @param at time of the event: Event-Timestamp if it can be right, else the time of arrival less
///   Acct-Delay-Time
/// @param lasted Acct-Session-Time
/// @param octetsUp from the device, IP bytes as the access server counts them
/// @param octetsDown to the device
/// @param cause Acct-Terminate-Cause by its name or number; may be empty
public record AccountingRecord(
    Kind kind,
    String session,
    String user,
    String server,
    String device,
    String address,
    Instant at,
    Duration lasted,
    long octetsUp,
    long octetsDown,
    String cause) {

  // A record may wait at its access server. An Event-Timestamp that is older, or ahead, is that of
  // a
  // clock that is not set.
  private static final Duration OLDEST = Duration.ofDays(31);
  private static final Duration AHEAD = Duration.ofMinutes(5);
  private static final String STATUS = "Acct-Status-Type";
  private static final String CAUSE = "Acct-Terminate-Cause";

  /// Kinds of records.
  public enum Kind {
    START,
    STOP,
    INTERIM_UPDATE,
    /// The access server has started or stops: all of its sessions have ended.
    ACCOUNTING_ON,
    ACCOUNTING_OFF,
    /// A kind that RFC 2866 does not have, such as that of a tunnel.
    OTHER;

    static Kind of(Dictionary dictionary, long status) {
      String name = dictionary.valueName(STATUS, status).orElse("");
      return switch (name) {
        case "Start" -> START;
        case "Stop" -> STOP;
        case "Interim-Update" -> INTERIM_UPDATE;
        case "Accounting-On" -> ACCOUNTING_ON;
        case "Accounting-Off" -> ACCOUNTING_OFF;
        default -> OTHER;
      };
    }

    /// Returns true if the record counts a session of a user.
    public boolean isOfSession() {
      return this == START || this == STOP || this == INTERIM_UPDATE;
    }
  }

  /// Reads a record.
  ///
  /// @param arrival time at which the packet came
  /// @return empty if it has no Acct-Status-Type, if a record of a session has no Acct-Session-Id
  ///   or User-Name, or if a count does not fit 63 bits
  public static Optional<AccountingRecord> of(
      RadiusPacket packet, Dictionary dictionary, Instant arrival) {
    long up = octets(packet, "Input");
    long down = octets(packet, "Output");
    long status = packet.number(STATUS).orElse(0);
    AccountingRecord record =
        new AccountingRecord(
            Kind.of(dictionary, status),
            packet.text("Acct-Session-Id"),
            packet.text("User-Name"),
            server(packet),
            packet.text("Calling-Station-Id"),
            address(packet, "Framed-IP-Address", "Framed-IPv6-Address"),
            at(packet, arrival),
            Duration.ofSeconds(packet.number("Acct-Session-Time").orElse(0)),
            up,
            down,
            cause(packet, dictionary));
    boolean isWhole =
        !record.kind.isOfSession() || !record.session.isEmpty() && !record.user.isEmpty();
    return status != 0 && isWhole && up >= 0 && down >= 0 ? Optional.of(record) : Optional.empty();
  }

  private static long octets(RadiusPacket packet, String direction) {
    long wraps = packet.number("Acct-" + direction + "-Gigawords").orElse(0);
    return wraps << Integer.SIZE | packet.number("Acct-" + direction + "-Octets").orElse(0);
  }

  private static String server(RadiusPacket packet) {
    String name = packet.text("NAS-Identifier");
    return name.isEmpty() ? address(packet, "NAS-IP-Address", "NAS-IPv6-Address") : name;
  }

  private static String address(RadiusPacket packet, String ipv4, String ipv6) {
    return packet
        .first(ipv4)
        .or(() -> packet.first(ipv6))
        .map(Attribute::address)
        .map(address -> address.getHostAddress())
        .orElse("");
  }

  private static Instant at(RadiusPacket packet, Instant arrival) {
    Instant sent = arrival.minusSeconds(delay(packet));
    if (packet.number("Event-Timestamp").isEmpty()) {
      return sent;
    }
    Instant event = Instant.ofEpochSecond(packet.number("Event-Timestamp").getAsLong());
    return event.isBefore(arrival.minus(OLDEST)) || event.isAfter(arrival.plus(AHEAD))
        ? sent
        : event;
  }

  private static long delay(RadiusPacket packet) {
    return Math.min(packet.number("Acct-Delay-Time").orElse(0), OLDEST.toSeconds());
  }

  private static String cause(RadiusPacket packet, Dictionary dictionary) {
    return packet.number(CAUSE).stream()
        .mapToObj(
            number -> dictionary.valueName(CAUSE, number).orElseGet(() -> Long.toString(number)))
        .findFirst()
        .orElse("");
  }
}
