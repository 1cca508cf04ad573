package io.viaduct.billing.ro;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// A request to the charging system, as stored before it is sent.
///
/// @param session Session-Id
/// @param number CC-Request-Number
/// @param used use since the last request
/// @param wanted credit that is wanted
/// @param endToEnd end-to-end identifier
/// @param at time at which the request was made, its Event-Timestamp
/// @param isRepeated true if a copy may be at the charging system
public record RoRequest(
    String account,
    Kind kind,
    String session,
    long number,
    MicroDenarii used,
    MicroDenarii wanted,
    int endToEnd,
    Instant at,
    boolean isRepeated) {
  /// Values of CC-Request-Type.
  public enum Kind {
    INITIAL,
    UPDATE,
    TERMINATION
  }
}
