package io.viaduct.sip.guard;

import java.util.Locale;

/// Reasons why a message is refused. Each has its own counter. Reasons with a status are answered
/// from the headers alone, never with the sender's content, if the message is a request with a Via.
/// All others are dropped silently. A budget bounds the answers to a source, which may be forged.
public enum Refusal {
  TOO_SHORT,
  TOO_LONG,
  HEAD_TOO_LONG,
  NO_END_OF_HEAD,
  LINE_TOO_LONG,
  TOO_MANY_HEADERS,
  NUL_BYTE,
  CONTROL_CHARACTER,
  BARE_LINE_FEED,
  BARE_CARRIAGE_RETURN,
  NOT_UTF8,
  MALFORMED_START_LINE(400),
  /// A Request-URI with header fields, which belong into Contact only (RFC 3261 section 19.1.1).
  URI_HEADERS(400),
  /// A version other than SIP/2.0.
  VERSION_NOT_SUPPORTED(505),
  MALFORMED_HEADER,
  MISSING_VIA,
  TOO_MANY_VIAS,
  MALFORMED_VIA(400),
  /// A backslash, which makes the stack's ViaParser loop forever.
  VIA_BACKSLASH,
  VIA_UNBALANCED_PARENTHESES,
  MISSING_FROM(400),
  MISSING_TO(400),
  MALFORMED_ADDRESS(400),
  MISSING_CALL_ID(400),
  MALFORMED_CALL_ID(400),
  MISSING_CSEQ(400),
  MALFORMED_CSEQ(400),
  CSEQ_METHOD_MISMATCH(400),
  MALFORMED_MAX_FORWARDS(400),
  DUPLICATE_HEADER(400),
  MISSING_CONTENT_LENGTH(400),
  DUPLICATE_CONTENT_LENGTH(400),
  MALFORMED_CONTENT_LENGTH(400),
  CONTENT_LENGTH_MISMATCH(400),
  BODY_TOO_LONG(413),
  /// A header that must be one number is not: RSeq, Expires, Min-Expires, Max-Breadth.
  MALFORMED_NUMBER(400),
  /// A datagram with STUN's magic cookie that is no binding request or success response.
  MALFORMED_STUN,
  /// The stack's parser refused a response that the guard accepted.
  STACK_PARSER,
  /// More requests are processed than the admission limit.
  OVERLOAD(503),
  /// The budget of 503 answers is used up too.
  OVERFLOW,
  /// A response of SIP or STUN that matches no request of ours.
  STRAY_RESPONSE,
  /// A message on a stream was incomplete at its deadline or at the end of its connection.
  UNFINISHED,
  /// An accepted connection brought no whole message in time.
  FIRST_MESSAGE_LATE,
  /// A connection ended before its TLS handshake was complete.
  TLS_HANDSHAKE_FAILED,
  /// An HTTP request at the WebSocket listener that is no upgrade to the sub-protocol `sip`.
  NO_SIP_WEB_SOCKET,
  /// More connections are open than the limit.
  TOO_MANY_CONNECTIONS,
  /// One source has more connections open than the limit.
  TOO_MANY_CONNECTIONS_OF_SOURCE,
  /// An answer over UDP was not sent, because its source has not proved that it receives answers
  /// and its budget is used up.
  TOO_MANY_ANSWERS;

  private final int status;

  Refusal() {
    this(0);
  }

  Refusal(int status) {
    this.status = status;
  }

  /// Returns the reason in words, for the reason phrase of the answer.
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// Returns the status of the answer, or 0 if there is none.
  public int status() {
    return status;
  }
}
