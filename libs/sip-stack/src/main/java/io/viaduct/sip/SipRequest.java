package io.viaduct.sip;

/// A SIP request.
///
/// @param uri Request-URI as written
public record SipRequest(String method, String uri, SipHeaders headers, SipBody body)
    implements SipMessage {
  /// A REGISTER with Contact, Expires and a branch of usual length is longer. The words of a
  /// refusal, or a list of event packages, have at most 240 bytes; the other header fields of an
  /// answer are those of the request.
  private static final int SHORT_BYTES = 320;

  public SipRequest {
    if (method.isEmpty() || uri.isEmpty() || uri.chars().anyMatch(c -> c <= ' ')) {
      throw new IllegalArgumentException("method and URI must be single words: " + method);
    }
  }

  /// Makes a request without body.
  public SipRequest(String method, String uri, SipHeaders headers) {
    this(method, uri, headers, SipBody.EMPTY);
  }

  @Override
  public String startLine() {
    return method + " " + uri + " SIP/2.0";
  }

  /// Returns whether the request is shorter than any user agent's. Its source may be forged, so its
  /// answer leaves out what it can, and is at most twice as long.
  public boolean isShort() {
    return encode().length < SHORT_BYTES;
  }

  public SipRequest with(String name, String value) {
    return new SipRequest(method, uri, headers.with(name, value), body);
  }

  public SipRequest withHeaders(SipHeaders next) {
    return new SipRequest(method, uri, next, body);
  }

  public SipRequest withBody(String contentType, SipBody next) {
    return new SipRequest(method, uri, headers.replace("Content-Type", contentType), next);
  }
}
