package io.viaduct.billing.ro;

import io.viaduct.billing.ledger.MicroDenarii;

/// A request to the charging system, as stored before it is sent.
///
/// @param session Session-Id
/// @param number CC-Request-Number
/// @param used use since the last request
/// @param wanted credit that is wanted
public record RoRequest(
    String account,
    Kind kind,
    String session,
    long number,
    MicroDenarii used,
    MicroDenarii wanted) {
  /// Values of CC-Request-Type.
  public enum Kind {
    INITIAL,
    UPDATE,
    TERMINATION
  }
}
