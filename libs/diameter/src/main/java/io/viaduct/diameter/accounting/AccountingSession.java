package io.viaduct.diameter.accounting;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.NodeIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// One accounting session of Rf: START, any number of INTERIM, STOP; or a single EVENT. Its records
/// are numbered without gaps, so the charging system notices a lost one. It builds requests; the
/// queue on disk delivers them. Not thread-safe.
public final class AccountingSession {
  private static final int ACCOUNTING = 271;

  private final SessionParties parties;
  private final String sessionId;
  private final String user;
  private long number;
  private boolean ended;

  private AccountingSession(SessionParties parties, String sessionId, String user, long number) {
    this.parties = parties;
    this.sessionId = sessionId;
    this.user = user;
    this.number = number;
  }

  /// Begins a session.
  ///
  /// @param user User-Name
  public static AccountingSession begin(SessionParties parties, String sessionId, String user) {
    return new AccountingSession(parties, sessionId, user, 0);
  }

  /// Continues a session of an earlier process.
  ///
  /// @param number number of its next record; 1 or more
  public static AccountingSession resume(
      SessionParties parties, String sessionId, String user, long number) {
    if (number < 1) {
      throw new IllegalArgumentException("a session that goes on has a record, got " + number);
    }
    return new AccountingSession(parties, sessionId, user, number);
  }

  /// Returns the request of an event without duration, such as a REGISTER.
  public static DiameterMessage event(
      SessionParties parties,
      String sessionId,
      String user,
      ServiceInformation information,
      Instant now) {
    return new AccountingSession(parties, sessionId, user, 0)
        .record("EVENT_RECORD", information, now);
  }

  /// Returns the interval between interim records that the charging system wants, if it has said
  /// one.
  public static Optional<Duration> interimInterval(DiameterMessage answer) {
    return answer.avps().number("Acct-Interim-Interval").stream()
        .filter(seconds -> seconds > 0)
        .mapToObj(Duration::ofSeconds)
        .findFirst();
  }

  /// Returns the number of the next record, which a process stores to resume the session.
  public long nextNumber() {
    return number;
  }

  public String sessionId() {
    return sessionId;
  }

  /// Returns the request with which the session starts.
  ///
  /// @throws IllegalStateException if it has started
  public DiameterMessage start(ServiceInformation information, Instant now) {
    if (number != 0) {
      throw new IllegalStateException(sessionId + " has started");
    }
    return record("START_RECORD", information, now);
  }

  /// Returns the request with the usage since the last one.
  public DiameterMessage interim(ServiceInformation information, Instant now) {
    requireStarted();
    return record("INTERIM_RECORD", information, now);
  }

  /// Returns the request with the last usage. The session ends.
  public DiameterMessage stop(ServiceInformation information, Instant now) {
    requireStarted();
    ended = true;
    return record("STOP_RECORD", information, now);
  }

  private void requireStarted() {
    if (number == 0 || ended) {
      throw new IllegalStateException(sessionId + (ended ? " has ended" : " has not started"));
    }
  }

  private DiameterMessage record(String type, ServiceInformation information, Instant now) {
    AvpBuilder avps =
        parties
            .begin(sessionId)
            .add("Accounting-Record-Type", type)
            .add("Accounting-Record-Number", number++)
            .add("Acct-Application-Id", NodeIdentity.ACCOUNTING)
            .add("User-Name", user)
            .add("Event-Timestamp", now)
            .add("Service-Context-Id", parties.context());
    information.writeTo(avps);
    return new DiameterMessage(
        DiameterHeader.request(ACCOUNTING, true, NodeIdentity.ACCOUNTING), avps.build());
  }
}
