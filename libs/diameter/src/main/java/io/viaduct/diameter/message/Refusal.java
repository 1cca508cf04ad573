package io.viaduct.diameter.message;

/// Reasons why a message is refused, each with the Result-Code of its answer (RFC 6733 section 7.1)
/// and a counter.
public enum Refusal {
  /// Another version than 1. The stream cannot be followed further.
  UNSUPPORTED_VERSION(5011),
  /// The length is below 20, no multiple of 4, or not that of the octets. The stream cannot be
  /// followed further.
  INVALID_MESSAGE_LENGTH(5015),
  /// The message is longer than the limit. The stream is not followed further.
  MESSAGE_TOO_LONG(5015),
  /// The E bit in a request, the T bit in an answer, or the P bit in a command between neighbours.
  INVALID_HEADER_BITS(3008),
  COMMAND_UNSUPPORTED(3001),
  /// The M bit of an AVP that must not have it, or a V bit with vendor 0.
  INVALID_AVP_BITS(3009),
  /// The AVP ends after its message or group, or its data has not the length of its format.
  INVALID_AVP_LENGTH(5014),
  /// The data has not the format of the AVP.
  INVALID_AVP_VALUE(5004),
  /// An unknown AVP with the M bit.
  AVP_UNSUPPORTED(5001),
  MISSING_AVP(5005),
  /// Groups in groups beyond the limit.
  TOO_DEEP(5012),
  /// More AVPs than the limit.
  TOO_MANY_AVPS(5012);

  private final int resultCode;

  Refusal(int resultCode) {
    this.resultCode = resultCode;
  }

  public int resultCode() {
    return resultCode;
  }

  /// Returns true if the next message of the stream cannot be found.
  public boolean endsStream() {
    return this == UNSUPPORTED_VERSION
        || this == INVALID_MESSAGE_LENGTH
        || this == MESSAGE_TOO_LONG;
  }
}
