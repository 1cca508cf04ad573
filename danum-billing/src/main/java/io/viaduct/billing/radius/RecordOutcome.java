package io.viaduct.billing.radius;

/// Results of records of access networks. Each but the last is answered.
enum RecordOutcome {
  /// It is stored.
  STORED,
  /// All sessions of the access server have ended.
  SERVER_RESTARTED,
  /// No account has the user's name; a repetition would not change that.
  UNKNOWN_USER,
  /// It is of a kind that counts no session, such as that of a tunnel.
  IGNORED,
  /// The database is away: no answer, so the access server sends it again.
  DEFERRED
}
