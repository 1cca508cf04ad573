package io.viaduct.sip.guard;

import java.util.Locale;

/// Reasons why a message is refused. Each has its own counter. Reasons with a status are answered
/// from the headers alone, never with the sender's content, if the message is a request whose Via
/// can be read. An answer to a head that cannot be read as a whole is no longer than the message.
/// All others are dropped silently. A budget bounds the answers to a source, which may be forged.
public enum Refusal {
  TOO_SHORT("the datagram is too short for SIP"),
  TOO_LONG(513, "the message is longer than the limit"),
  HEAD_TOO_LONG(513, "the header fields are longer than the limit"),
  NO_END_OF_HEAD("the empty line after the header fields is missing"),
  LINE_TOO_LONG(513, "a line is longer than the limit"),
  TOO_MANY_HEADERS(513, "there are more header fields than the limit"),
  NUL_BYTE("a header field has a NUL byte"),
  CONTROL_CHARACTER("a header field has a control character"),
  BARE_LINE_FEED("a line ends with LF without CR"),
  BARE_CARRIAGE_RETURN("a line has a CR without LF"),
  NOT_UTF8(400, "the header fields are not UTF-8"),
  MALFORMED_START_LINE(400, "the first line is no request line and no status line of SIP"),
  /// A Request-URI with header fields, which belong into Contact only (RFC 3261 section 19.1.1).
  URI_HEADERS(400, "the Request-URI has header fields, which belong into Contact only"),
  /// A version other than SIP/2.0.
  VERSION_NOT_SUPPORTED(505, "the version is not SIP/2.0"),
  MALFORMED_HEADER(400, "a line is no header field"),
  MISSING_VIA("Via is missing"),
  TOO_MANY_VIAS(483, "the message has passed more servers than the limit"),
  MALFORMED_VIA(400, "Via cannot be read"),
  /// A backslash, which makes the stack's ViaParser loop forever.
  VIA_BACKSLASH("Via has a backslash"),
  VIA_UNBALANCED_PARENTHESES("Via has a comment that does not end"),
  MISSING_FROM(400, "From is missing"),
  MISSING_TO(400, "To is missing"),
  MALFORMED_ADDRESS(400, "an address in From, To or Contact cannot be read"),
  MISSING_CALL_ID(400, "Call-ID is missing"),
  MALFORMED_CALL_ID(400, "Call-ID cannot be read"),
  MISSING_CSEQ(400, "CSeq is missing"),
  MALFORMED_CSEQ(400, "CSeq cannot be read"),
  CSEQ_METHOD_MISMATCH(400, "CSeq names another method than the request"),
  MALFORMED_MAX_FORWARDS(400, "Max-Forwards is no number from 0 to 255"),
  DUPLICATE_HEADER(400, "a header field that may stand once is there twice"),
  MISSING_CONTENT_LENGTH(400, "Content-Length is missing on a connection"),
  DUPLICATE_CONTENT_LENGTH(400, "Content-Length is there twice"),
  MALFORMED_CONTENT_LENGTH(400, "Content-Length is no number"),
  CONTENT_LENGTH_MISMATCH(400, "the body is shorter than Content-Length says"),
  BODY_TOO_LONG(413, "the body is longer than the limit"),
  /// A header that must be one number is not: RSeq, Expires, Min-Expires, Max-Breadth.
  MALFORMED_NUMBER(400, "a header field that must be a number is none"),
  /// A datagram with STUN's magic cookie that is no binding request or success response.
  MALFORMED_STUN("a message of STUN is not one that is answered here"),
  /// The stack's parser refused a response that the guard accepted.
  STACK_PARSER("the SIP stack could not read the response of a user agent"),
  /// More requests are processed than the admission limit.
  OVERLOAD(503, "more requests were processed than the limit: 503 was answered"),
  /// The budget of 503 answers is used up too.
  OVERFLOW("more requests came than could be answered with 503"),
  /// A response of SIP or STUN that matches no request of ours.
  STRAY_RESPONSE("the response belongs to no request of this bridge"),
  /// A message on a stream was incomplete at its deadline or at the end of its connection.
  UNFINISHED("the message was not complete in time, or when its connection ended"),
  /// An accepted connection brought no whole message in time.
  FIRST_MESSAGE_LATE("the connection brought no whole message in time"),
  /// A connection ended before its TLS handshake was complete.
  TLS_HANDSHAKE_FAILED("the connection ended before its TLS handshake was complete"),
  /// An HTTP request at the WebSocket listener that is no upgrade to the sub-protocol `sip`.
  NO_SIP_WEB_SOCKET("the HTTP request asks for no WebSocket with the sub-protocol sip"),
  /// Frames of a WebSocket that break RFC 6455, or form a message above the limit.
  MALFORMED_WEB_SOCKET("the frames of the WebSocket break its rules, or form too long a message"),
  /// More connections are open than the limit.
  TOO_MANY_CONNECTIONS("more connections were opened than the limit"),
  /// One source has more connections open than the limit.
  TOO_MANY_CONNECTIONS_OF_SOURCE("one source opened more connections than the limit"),
  /// An answer over UDP was not sent, because its source has not proved that it receives answers
  /// and its budget is used up.
  TOO_MANY_ANSWERS(
      "a source that has not proved its address asked for more answers than the limit");

  private final int status;
  private final String words;

  Refusal(String words) {
    this(0, words);
  }

  Refusal(int status, String words) {
    this.status = status;
    this.words = words;
  }

  /// Returns the reason in short, for the reason phrase of the answer.
  public String phrase() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// Returns what is wrong, for an operator.
  public String words() {
    return words;
  }

  /// Returns the status of the answer, or 0 if there is none.
  public int status() {
    return status;
  }
}
