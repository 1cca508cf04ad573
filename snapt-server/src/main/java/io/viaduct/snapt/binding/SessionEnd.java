package io.viaduct.snapt.binding;

/// Why a session ended; each value is a counter.
public enum SessionEnd {
  /// The device said Goodbye.
  GOODBYE,
  /// Its token expired and no newer one came.
  TOKEN_EXPIRED,
  /// Neither datagram nor control message for the idle time.
  IDLE,
  /// The same device key opened another session.
  SUPERSEDED,
  /// The connected device left two intervals in a row unsigned.
  RECEIPTS_OWED,
  /// The SNAPT stops.
  STOPPED
}
