package io.viaduct.cnapt.control;

import java.util.Locale;

/// Why a control connection was not made or has ended; each is a counter.
public enum ControlFailure {
  /// The name is not known to any resolver.
  HOST_UNKNOWN,
  /// TCP was refused or no route leads there.
  UNREACHABLE,
  /// Nothing, or not all, came within the connect timeout.
  CONNECT_TIMEOUT,
  /// The certificate is not of a trusted authority, has expired, or does not name the host.
  CERTIFICATE_REFUSED,
  /// The certificate is good, but somebody else's: its common name is not the id that was asked
  /// for.
  SNAPT_ID_MISMATCH,
  /// TLS without the protocol `viaduct/1`.
  PROTOCOL_NOT_SPOKEN,
  TLS_FAILED,
  /// The SNAPT has said no; the code of the Refusal is in the status.
  REFUSED,
  /// A frame or message against docs/protocol.md section 5.
  MALFORMED,
  /// Three keep-alives in a row without an answer.
  KEEP_ALIVE_LOST,
  /// The other end has closed the connection.
  CLOSED,
  /// The other end has said goodbye.
  GOODBYE,
  /// We have closed it, because the network under it has changed.
  NETWORK_CHANGED;

  /// Whether it is what a SNAPT that is being started again looks like.
  boolean isAbsence() {
    return this == UNREACHABLE || this == CONNECT_TIMEOUT || this == CLOSED;
  }

  /// Bounded label of the counter.
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
