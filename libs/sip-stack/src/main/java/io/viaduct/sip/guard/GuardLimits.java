package io.viaduct.sip.guard;

/// Bounds on one message.
///
/// @param headBytes start line and headers with the empty line
/// @param bodyBytes of the body
/// @param headers lines after unfolding
/// @param lineBytes of one header line
/// @param vias Via values, which are hops
public record GuardLimits(int headBytes, int bodyBytes, int headers, int lineBytes, int vias) {
  /// The default, of datagrams. SIP over UDP should stay under 1300 bytes in all (RFC 3261 section
  /// 18.1.1).
  public static final GuardLimits STANDARD = new GuardLimits(6144, 8192, 64, 2048, 48);

  /// Longest body on a stream. The SDP of a browser's call with all its candidates has 8 to 20 KiB.
  private static final int STREAM_BODY_BYTES = 32_768;

  /// Returns the limits of messages on connections (TCP, TLS, WebSocket), which need not fit a
  /// datagram.
  public GuardLimits onStreams() {
    return withBody(Math.max(bodyBytes, STREAM_BODY_BYTES));
  }

  /// Returns the longest message, in bytes.
  public int messageBytes() {
    return headBytes + bodyBytes;
  }

  /// Returns the same limits with another one of the body.
  public GuardLimits withBody(int bytes) {
    return new GuardLimits(headBytes, bytes, headers, lineBytes, vias);
  }

  public GuardLimits {
    if (headBytes < 256 || bodyBytes < 0 || headers < 8 || lineBytes < 64 || vias < 1) {
      throw new IllegalArgumentException(
          "need head >= 256, body >= 0, headers >= 8, line >= 64, vias >= 1 bytes, got "
              + headBytes
              + ", "
              + bodyBytes
              + ", "
              + headers
              + ", "
              + lineBytes
              + ", "
              + vias);
    }
  }
}
