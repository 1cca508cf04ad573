package io.viaduct.sip.guard;

/// Why a message was refused. Each is one counter. Those with a status are answered, from the
/// headers alone and never with the sender's content; all others are dropped in silence, so that a
/// forged source address gets nothing.
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
  MALFORMED_START_LINE,
  /// Not SIP/2.0.
  VERSION_NOT_SUPPORTED(505),
  MALFORMED_HEADER,
  MISSING_VIA,
  TOO_MANY_VIAS,
  MALFORMED_VIA,
  /// The unbounded loop of the stack's ViaParser.
  VIA_BACKSLASH,
  VIA_UNBALANCED_PARENTHESES,
  MISSING_FROM,
  MISSING_TO,
  MALFORMED_ADDRESS,
  MISSING_CALL_ID,
  MISSING_CSEQ,
  MALFORMED_CSEQ,
  CSEQ_METHOD_MISMATCH(400),
  MISSING_MAX_FORWARDS(400),
  MALFORMED_MAX_FORWARDS(400),
  DUPLICATE_HEADER(400),
  MISSING_CONTENT_LENGTH(400),
  DUPLICATE_CONTENT_LENGTH(400),
  MALFORMED_CONTENT_LENGTH(400),
  CONTENT_LENGTH_MISMATCH(400),
  BODY_TOO_LONG(413),
  /// RSeq, Expires, Min-Expires, Max-Breadth: a header that must be one number is not.
  MALFORMED_NUMBER(400),
  /// The parser of the stack refused what the guard had let through.
  STACK_PARSER,
  /// More requests under way than the admission limit.
  OVERLOAD(503),
  /// Too much even for an answer of 503.
  OVERFLOW,
  /// A response that matches no request of ours.
  STRAY_RESPONSE,
  /// A message on a stream that was not complete in time, or whose connection ended before.
  UNFINISHED,
  /// A connection that was accepted and has not brought a whole message in time.
  FIRST_MESSAGE_LATE,
  /// More connections than the limit.
  TOO_MANY_CONNECTIONS,
  /// More connections of one source than the limit.
  TOO_MANY_CONNECTIONS_OF_SOURCE,
  /// More answers over UDP than a source gets that has not proved to be there: not sent.
  TOO_MANY_ANSWERS;

  private final int status;

  Refusal() {
    this(0);
  }

  Refusal(int status) {
    this.status = status;
  }

  /// The status of the answer, 0 when there is none.
  public int status() {
    return status;
  }
}
