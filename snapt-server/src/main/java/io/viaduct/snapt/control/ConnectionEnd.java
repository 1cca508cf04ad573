package io.viaduct.snapt.control;

/// Why the SNAPT closed a control connection, or did not take it; each value is a counter.
public enum ConnectionEnd {
  /// As many connections as the configuration allows.
  CONNECTIONS_MAX,
  /// As many from that address as the configuration allows.
  CONNECTIONS_PER_ADDRESS_MAX,
  /// No valid Hello in time.
  HANDSHAKE_TIMEOUT,
  /// More bytes before a valid Hello than any Hello needs.
  HANDSHAKE_BYTES,
  /// TLS failed: another version, a certificate that the device does not trust, no TLS at all.
  TLS_FAILED,
  /// TLS without the application protocol viaduct/1.
  ALPN_MISSING,
  /// A frame of a reserved type, longer than a message may be, or without a message in it.
  FRAME_MALFORMED,
  /// A message that has no place here: Hello twice, a message of the SNAPT, none at all.
  UNEXPECTED_MESSAGE,
  /// Answered with a Refusal; the refusal codes are counted on their own.
  REFUSED,
  /// Three KeepAlives without answer.
  KEEP_ALIVE_LOST,
  /// The session has ended.
  SESSION_ENDED,
  /// The device resumed its session on another connection.
  REPLACED,
  /// The device closed it.
  CLOSED_BY_PEER
}
