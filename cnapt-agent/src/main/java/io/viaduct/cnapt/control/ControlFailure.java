package io.viaduct.cnapt.control;

import java.util.Locale;

/// The reasons for which a control connection failed or ended; each value is a counter.
public enum ControlFailure {
  /// No resolver knows the host name.
  HOST_UNKNOWN,
  /// TCP was refused, or there is no route.
  UNREACHABLE,
  /// No Welcome arrived within the connect timeout.
  CONNECT_TIMEOUT,
  /// The certificate is not of a trusted authority, has expired, or does not name the host.
  CERTIFICATE_REFUSED,
  /// The certificate is valid, but its common name is not the configured id.
  SNAPT_ID_MISMATCH,
  /// The server did not accept the application protocol (ALPN) `viaduct/1`.
  PROTOCOL_NOT_SPOKEN,
  TLS_FAILED,
  /// The SNAPT sent a Refusal; the status has its code.
  REFUSED,
  /// A frame or message violated docs/protocol.md section 5.
  MALFORMED,
  /// Three KeepAlives in a row were not answered.
  KEEP_ALIVE_LOST,
  /// The SNAPT closed the connection.
  CLOSED,
  /// The SNAPT sent a Goodbye.
  GOODBYE,
  /// The agent closed the connection, because the network has changed.
  NETWORK_CHANGED;

  /// Returns true if a SNAPT that restarts causes this failure.
  boolean isAbsence() {
    return this == UNREACHABLE || this == CONNECT_TIMEOUT || this == CLOSED;
  }

  /// Returns the label of the counter.
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
