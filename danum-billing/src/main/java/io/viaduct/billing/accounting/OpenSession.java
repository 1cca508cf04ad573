package io.viaduct.billing.accounting;

import io.viaduct.diameter.accounting.AccountingSession;
import io.viaduct.diameter.accounting.ServiceInformation;
import io.viaduct.diameter.accounting.ServiceUsage;
import io.viaduct.diameter.message.SessionParties;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/// An accounting session that has begun: its row in `accounting_session`, with numbers that move
/// while records are stored.
final class OpenSession {
  private final String diameterSession;
  private final String account;
  private final String icid;
  private final String session;
  long number;
  long sequence;
  Instant heardAt;

  private OpenSession(ResultSet row) throws SQLException {
    diameterSession = row.getString("diameter_session");
    account = row.getString("account");
    icid = row.getString("icid");
    session = row.getString("session_id");
    number = row.getLong("next_number");
    sequence = row.getLong("next_sequence");
    heardAt = row.getTimestamp("heard_at").toInstant();
  }

  static OpenSession read(ResultSet row) throws SQLException {
    return new OpenSession(row);
  }

  String diameterSession() {
    return diameterSession;
  }

  String account() {
    return account;
  }

  /// Returns the builder of the next record.
  AccountingSession next(SessionParties parties, String user) {
    return number == 0
        ? AccountingSession.begin(parties, diameterSession, user)
        : AccountingSession.resume(parties, diameterSession, user, number);
  }

  ServiceInformation with(List<ServiceUsage> usage) {
    return new ServiceInformation(icid, session, usage);
  }
}
