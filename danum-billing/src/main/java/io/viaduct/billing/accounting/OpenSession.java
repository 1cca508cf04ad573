package io.viaduct.billing.accounting;

import io.viaduct.billing.accounting.PostedRecord.Kind;
import io.viaduct.diameter.accounting.ServiceUsage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/// An accounting session that has begun: its row in `accounting_session`, with numbers that move
/// while records are stored.
final class OpenSession {
  private final String name;
  private final String account;
  private final String icid;
  private final String snapt;
  private final String session;
  private final Instant beganAt;
  private long number;
  private long sequence;
  private long octetsUp;
  private long octetsDown;
  private Instant heardAt;
  private List<Long> chargingFunctions;

  private OpenSession(ResultSet row) throws SQLException {
    name = row.getString("diameter_session");
    account = row.getString("account");
    icid = row.getString("icid");
    snapt = row.getString("snapt_id");
    session = row.getString("session_id");
    beganAt = row.getTimestamp("began_at").toInstant();
    number = row.getLong("next_number");
    sequence = row.getLong("next_sequence");
    octetsUp = row.getLong("octets_up");
    octetsDown = row.getLong("octets_down");
    heardAt = row.getTimestamp("heard_at").toInstant();
    chargingFunctions = List.of((Long[]) row.getArray("charging_functions").getArray());
  }

  private OpenSession(OpenSession other) {
    name = other.name;
    account = other.account;
    icid = other.icid;
    snapt = other.snapt;
    session = other.session;
    beganAt = other.beganAt;
    number = other.number;
    sequence = other.sequence;
    octetsUp = other.octetsUp;
    octetsDown = other.octetsDown;
    heardAt = other.heardAt;
    chargingFunctions = other.chargingFunctions;
  }

  /// Returns a copy, whose numbers move before its records are stored.
  OpenSession copy() {
    return new OpenSession(this);
  }

  static OpenSession read(ResultSet row) throws SQLException {
    return new OpenSession(row);
  }

  String name() {
    return name;
  }

  boolean hasStarted() {
    return number > 0;
  }

  /// Returns the Local-Sequence-Number of the next service.
  long sequence() {
    return sequence;
  }

  long octetsUp() {
    return octetsUp;
  }

  long octetsDown() {
    return octetsDown;
  }

  long nextNumber() {
    return number;
  }

  Instant heardAt() {
    return heardAt;
  }

  Long[] chargingFunctions() {
    return chargingFunctions.toArray(Long[]::new);
  }

  /// Keeps the charging functions of the token of the first report.
  void directTo(List<Long> functions) {
    chargingFunctions = List.copyOf(functions);
  }

  /// Returns the next record.
  PostedRecord record(Kind kind, Instant at, List<ServiceUsage> usage) {
    return new PostedRecord(
        kind,
        name,
        number,
        account,
        snapt,
        session,
        icid,
        beganAt,
        at,
        octetsUp + usage.stream().mapToLong(ServiceUsage::octetsUp).sum(),
        octetsDown + usage.stream().mapToLong(ServiceUsage::octetsDown).sum(),
        usage,
        chargingFunctions);
  }

  /// Goes on after a record is stored.
  void stored(PostedRecord record) {
    number++;
    sequence += record.usage().size();
    octetsUp = record.octetsUp();
    octetsDown = record.octetsDown();
    heardAt = record.at();
    chargingFunctions = record.chargingFunctions();
  }
}
