package io.viaduct.cnapt.peer;

import io.netty.handler.codec.DecoderException;
import io.viaduct.service.throttle.ConnectionGate;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import java.io.IOException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/// The reasons for which a listening peer has closed or rejected a connection; each value is a
/// counter. None of these connections has changed the session.
public enum PeerRefusal {
  /// As many connections are open as are allowed.
  CONNECTIONS_MAX,
  /// As many connections from this address are open as are allowed.
  CONNECTIONS_PER_ADDRESS_MAX,
  /// No valid Hello arrived in time.
  HANDSHAKE_TIMEOUT,
  /// More bytes arrived before a valid Hello than any Hello needs.
  HANDSHAKE_BYTES,
  /// The TLS handshake failed, mostly because the other end expects another key.
  TLS_FAILED,
  /// The other end did not prove the key of the configuration.
  KEY_REFUSED,
  /// The Hello has another version, or terms that this end cannot accept.
  HELLO_REFUSED,
  /// A frame had a reserved type, was too long, or contained no message.
  FRAME_MALFORMED,
  /// A message was not allowed here.
  UNEXPECTED_MESSAGE,
  /// The other end closed it before it was known.
  CLOSED_BY_PEER;

  static PeerRefusal of(ConnectionGate.Limit reached) {
    return switch (reached) {
      case ALL -> CONNECTIONS_MAX;
      case PER_ADDRESS -> CONNECTIONS_PER_ADDRESS_MAX;
    };
  }

  static PeerRefusal of(Throwable cause) {
    Throwable why =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    return switch (why) {
      case MalformedFrameException _ -> FRAME_MALFORMED;
      case SSLException _ -> TLS_FAILED;
      case IOException _ -> CLOSED_BY_PEER;
      default -> UNEXPECTED_MESSAGE;
    };
  }

  /// Returns the label of the counter.
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
