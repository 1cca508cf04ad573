package io.viaduct.sip;

import java.nio.charset.StandardCharsets;

/// A SIP message: request or response.
public sealed interface SipMessage permits SipRequest, SipResponse {
  SipHeaders headers();

  SipBody body();

  /// Returns the first line without its line end.
  String startLine();

  /// Returns the request's method; for a response, the method of the answered request.
  String method();

  /// Returns the bytes for the wire. Content-Length is computed from the body and always last.
  default byte[] encode() {
    StringBuilder head = new StringBuilder(512).append(startLine()).append("\r\n");
    for (SipHeader header : headers().list()) {
      if (!header.is("Content-Length")) {
        head.append(header.name()).append(": ").append(header.value()).append("\r\n");
      }
    }
    head.append("Content-Length: ").append(body().length()).append("\r\n\r\n");
    byte[] start = head.toString().getBytes(StandardCharsets.UTF_8);
    if (body().length() == 0) {
      return start;
    }
    byte[] whole = java.util.Arrays.copyOf(start, start.length + body().length());
    System.arraycopy(body().bytes(), 0, whole, start.length, body().length());
    return whole;
  }

  default String callId() {
    return headers().require("Call-ID");
  }

  default CSeq cseq() {
    return CSeq.parse(headers().require("CSeq"));
  }

  default NameAddress from() {
    return NameAddress.parse(headers().require("From"));
  }

  default NameAddress to() {
    return NameAddress.parse(headers().require("To"));
  }
}
