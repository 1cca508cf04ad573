package io.viaduct.snapt.control;

import io.netty.handler.codec.DecoderException;
import io.viaduct.service.throttle.ConnectionGate;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The reasons for which the SNAPT closed or rejected a control connection; each value is a
/// counter.
public enum ConnectionEnd {
  /// The number of connections has reached `control.connections-max`.
  CONNECTIONS_MAX,
  /// The number of connections from this address has reached its limit.
  CONNECTIONS_PER_ADDRESS_MAX,
  /// No valid Hello arrived in time.
  HANDSHAKE_TIMEOUT,
  /// More bytes arrived before a valid Hello than any Hello needs.
  HANDSHAKE_BYTES,
  /// The TLS handshake failed: another version, a certificate that the device does not trust, or no
  /// TLS.
  TLS_FAILED,
  /// The client did not offer the application protocol (ALPN) viaduct/1.
  ALPN_MISSING,
  /// A frame had a reserved type, was too long, or contained no message.
  FRAME_MALFORMED,
  /// A message was not allowed here: a second Hello, a message type that only the SNAPT sends, or
  /// an empty message.
  UNEXPECTED_MESSAGE,
  /// The SNAPT answered with a Refusal; the refusal codes have their own counters.
  REFUSED,
  /// The device answered none of three KeepAlives.
  KEEP_ALIVE_LOST,
  /// The session has ended.
  SESSION_ENDED,
  /// The device resumed its session on another connection.
  REPLACED,
  /// The device closed it.
  CLOSED_BY_PEER;

  /// Returns the reason for a limit that is reached.
  static ConnectionEnd of(ConnectionGate.Limit reached) {
    return switch (reached) {
      case ALL -> CONNECTIONS_MAX;
      case PER_ADDRESS -> CONNECTIONS_PER_ADDRESS_MAX;
    };
  }

  /// Returns the reason for an exception on the channel, or null for an internal error.
  static @Nullable ConnectionEnd of(Throwable cause) {
    Throwable why =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    return switch (why) {
      case MalformedFrameException _ -> FRAME_MALFORMED;
      case SSLException _ -> TLS_FAILED;
      case IOException _ -> CLOSED_BY_PEER;
      default -> null;
    };
  }
}
