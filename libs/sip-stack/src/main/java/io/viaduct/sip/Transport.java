package io.viaduct.sip;

import java.util.Locale;

/// Transport protocol of a SIP message, as written in Via and in the `transport` URI parameter.
public enum Transport {
  UDP,
  TCP,
  /// TLS over TCP (RFC 3261 section 26.2).
  TLS,
  /// WebSocket (RFC 7118): each frame is one message.
  WS,
  /// WebSocket over TLS.
  WSS;

  /// Returns true if the peer has proved that it receives what is sent to its address, and nothing
  /// is retransmitted.
  public boolean isReliable() {
    return this != UDP;
  }

  /// Returns true if TLS carries the messages.
  public boolean isSecure() {
    return this == TLS || this == WSS;
  }

  public boolean isWebSocket() {
    return this == WS || this == WSS;
  }

  /// Returns the value of the `transport` URI parameter, in lower case.
  public String parameter() {
    return name().toLowerCase(Locale.ROOT);
  }
}
