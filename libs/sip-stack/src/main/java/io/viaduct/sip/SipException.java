package io.viaduct.sip;

/// Thrown when a request gets no final response because of network, peer or load. A negative answer
/// of the peer is no exception but a [SipResponse].
public final class SipException extends Exception {
  private static final long serialVersionUID = 1L;

  /// Reason why there is no response.
  public enum Reason {
    /// No final response within 64*T1 (RFC 3261 section 17.1.2.2).
    TIMEOUT,
    /// The peer could not be reached or the connection broke.
    TRANSPORT,
    /// More requests are under way than the endpoint's limit.
    OVERLOAD,
    /// The endpoint was closed.
    CLOSED,
    /// The request itself is not valid SIP.
    INVALID
  }

  private final Reason reason;

  public SipException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
