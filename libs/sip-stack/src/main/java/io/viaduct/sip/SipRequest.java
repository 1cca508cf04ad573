package io.viaduct.sip;

/// A SIP request.
///
/// @param uri Request-URI as written
public record SipRequest(String method, String uri, SipHeaders headers, SipBody body)
    implements SipMessage {
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
