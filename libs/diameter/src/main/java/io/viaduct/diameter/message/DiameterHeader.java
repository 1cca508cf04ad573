package io.viaduct.diameter.message;

/// The header of a message without version and length (RFC 6733 section 3).
///
/// @param request the R bit
/// @param proxiable the P bit
/// @param error the E bit: an answer with a protocol error
/// @param retransmitted the T bit: a request that may have been sent before
/// @param command 0 to 2²⁴−1
/// @param application Application-Id
/// @param hopByHop matches an answer to its request on one connection; 32 bits
/// @param endToEnd recognises copies of a request; 32 bits
public record DiameterHeader(
    boolean request,
    boolean proxiable,
    boolean error,
    boolean retransmitted,
    int command,
    long application,
    int hopByHop,
    int endToEnd) {
  /// Length on the wire, in octets.
  public static final int BYTES = 20;

  /// Returns the header of a request. Its identifiers are set when it is sent.
  public static DiameterHeader request(int command, boolean proxiable, long application) {
    return new DiameterHeader(true, proxiable, false, false, command, application, 0, 0);
  }

  /// Returns the header of the answer to this request.
  ///
  /// @param error true for the Result-Codes 3xxx
  public DiameterHeader answer(boolean error) {
    return new DiameterHeader(
        false, proxiable, error, false, command, application, hopByHop, endToEnd);
  }

  public DiameterHeader withHopByHop(int identifier) {
    return new DiameterHeader(
        request, proxiable, error, retransmitted, command, application, identifier, endToEnd);
  }

  public DiameterHeader withEndToEnd(int identifier) {
    return new DiameterHeader(
        request, proxiable, error, retransmitted, command, application, hopByHop, identifier);
  }

  /// Returns the header with the T bit, because the request may have been sent before.
  public DiameterHeader asRetransmission() {
    return new DiameterHeader(
        request, proxiable, error, true, command, application, hopByHop, endToEnd);
  }
}
