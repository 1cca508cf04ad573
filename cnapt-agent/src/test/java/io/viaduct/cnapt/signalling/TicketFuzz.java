package io.viaduct.cnapt.signalling;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.useragent.SessionGrant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the agent's handling of a NOTIFY of `snapt-session`. Input: its body. Rules: the result
/// is an IllegalArgumentException or a ticket. A ticket lists only valid SNAPTs, in order of
/// preference, up to the limit. The texts of ticket and grant are safe for a log and do not contain
/// the token.
final class TicketFuzz {
  private static final int RELAYS_MAX = 128;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    SessionGrant grant;
    SessionTicket ticket;
    try {
      grant = SessionGrant.parse(new String(input, StandardCharsets.UTF_8));
      ticket = SipTokenSource.ticket(grant);
    } catch (IllegalArgumentException _) {
      return; // answered with 400, or logged
    }
    String words = grant + " " + ticket;
    if (words.chars().anyMatch(Character::isISOControl)
        || !words.equals(withToken(grant, "other") + " " + ticket)) {
      throw new AssertionError("in the log: " + words);
    }
    if (ticket.relays().size() > RELAYS_MAX
        || !ticket.relays().stream().allMatch(TicketFuzz::canBeAsked)
        || !priorities(grant, ticket).stream()
            .sorted()
            .toList()
            .equals(priorities(grant, ticket))) {
      throw new AssertionError("to be asked: " + ticket.relays() + " of " + grant);
    }
  }

  private static SessionGrant withToken(SessionGrant g, String token) {
    return new SessionGrant(
        g.sid(),
        g.relays(),
        token,
        g.kid(),
        g.expires(),
        g.keys(),
        g.now(),
        g.reportSec(),
        g.icid(),
        g.credit());
  }

  private static boolean canBeAsked(Snapt snapt) {
    return snapt.host().matches("[!-~]{1,253}")
        && snapt.controlPort() >= 1
        && snapt.controlPort() <= 65_535;
  }

  /// Returns the best priority of each SNAPT in the grant, which may list a SNAPT more than once.
  private static List<Integer> priorities(SessionGrant grant, SessionTicket ticket) {
    return ticket.relays().stream()
        .distinct()
        .map(snapt ->
            grant.relays().stream()
                .filter(
                    relay -> snapt.equals(new Snapt(relay.id(), relay.host(), relay.controlPort())))
                .mapToInt(SessionGrant.Relay::prio)
                .min()
                .orElseThrow())
        .toList();
  }

  private static String grant(String token, String relays) {
    return """
    {"sid":"s","relays":[%s],"token":"%s","kid":"k","exp":9000000000000,"reportSec":5,"icid":"i"}\
    """
        .formatted(relays, token);
  }

  private static String relay(String host, int port, int priority) {
    return """
    {"id":"a","host":"%s","controlPort":%d,"dataPort":2,"prio":%d}\
    """
        .formatted(host, port, priority);
  }

  static List<byte[]> seeds() {
    return List.of(
            grant("AA-_", relay("h", 1, 1) + "," + relay("::1", 65_535, 0)),
            grant("AA-_", relay("two words", 1, 0) + "," + relay("h", 65_536, 0)),
            grant("AA-_", relay("h\\n", 1, 0)),
            grant("A+/=", relay("h", 1, 0)),
            grant("", ""))
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
