package io.viaduct.snapt.binding;

/// The reasons for the end of a session; each value is a counter.
public enum SessionEnd {
  /// The device sent a Goodbye.
  GOODBYE,
  /// The token expired, and the device, which was heard afterwards, sent no newer one in time.
  TOKEN_EXPIRED,
  /// The account was suspended or closed, or the device was removed from it.
  REVOKED,
  /// The device sent neither a datagram nor a control message during the idle time; it may have
  /// slept.
  IDLE,
  /// The same device key opened a new session.
  SUPERSEDED,
  /// The device was connected and did not sign two intervals in a row.
  RECEIPTS_OWED,
  /// The SNAPT has drained until its deadline.
  DRAINED,
  /// Another SNAPT of the group has taken the session over.
  MOVED,
  /// The session came from another SNAPT of the group, which has kept its address.
  NOT_TAKEN_OVER,
  /// The SNAPT is stopping.
  STOPPED
}
