package io.viaduct.sip;

import io.viaduct.service.logging.PeerText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A SIP response.
///
/// @param status 100..699
public record SipResponse(int status, String reason, SipHeaders headers, SipBody body)
    implements SipMessage {
  private static final List<String> COPIED = List.of("Via", "From", "To", "Call-ID", "CSeq");
  private static final Pattern WARNING = Pattern.compile("^\\d{3} \\S{1,255} \"([^\"]{1,300})\"");
  private static final Map<Integer, String> REASON =
      Map.ofEntries(
          Map.entry(100, "Trying"),
          Map.entry(200, "OK"),
          Map.entry(202, "Accepted"),
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(402, "Payment Required"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(407, "Proxy Authentication Required"),
          Map.entry(406, "Not Acceptable"),
          Map.entry(408, "Request Timeout"),
          Map.entry(413, "Request Entity Too Large"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(416, "Unsupported URI Scheme"),
          Map.entry(420, "Bad Extension"),
          Map.entry(422, "Session Interval Too Small"),
          Map.entry(423, "Interval Too Brief"),
          Map.entry(439, "First Hop Lacks Outbound Support"),
          Map.entry(440, "Max-Breadth Exceeded"),
          Map.entry(480, "Temporarily Unavailable"),
          Map.entry(481, "Call/Transaction Does Not Exist"),
          Map.entry(482, "Loop Detected"),
          Map.entry(483, "Too Many Hops"),
          Map.entry(487, "Request Terminated"),
          Map.entry(489, "Bad Event"),
          Map.entry(500, "Server Internal Error"),
          Map.entry(501, "Not Implemented"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(505, "Version Not Supported"),
          Map.entry(513, "Message Too Large"));

  public SipResponse {
    if (status < 100 || status > 699) {
      throw new IllegalArgumentException("status must be 100..699, got " + status);
    }
  }

  /// Makes a server's response: Via, From, To, Call-ID and CSeq are copied from the request (RFC
  /// 3261 section 8.2.6.2).
  public static SipResponse to(SipRequest request, int status) {
    List<SipHeader> copied = new ArrayList<>();
    for (String name : COPIED) {
      request.headers().all(name).forEach(value -> copied.add(new SipHeader(name, value)));
    }
    return new SipResponse(
        status,
        REASON.getOrDefault(status, "Status " + status),
        new SipHeaders(copied),
        SipBody.EMPTY);
  }

  /// Returns this response as a proxy forwards it (RFC 3261 section 16.7). The headers that a
  /// server must copy are taken from the sender's request, so that the sender recognises it even if
  /// the other end changed them.
  ///
  /// @param request of the sender
  public SipResponse forwardedFor(SipRequest request) {
    List<SipHeader> next = new ArrayList<>(to(request, status).headers.list());
    next.removeIf(header -> header.is("To")); // it returns below with the tag of the other end
    headers.list().stream()
        .filter(header -> header.is("To") || COPIED.stream().noneMatch(header::is))
        .forEach(next::add);
    return withHeaders(new SipHeaders(next));
  }

  public boolean isSuccess() {
    return status >= 200 && status < 300;
  }

  public boolean isFinal() {
    return status >= 200;
  }

  @Override
  public String startLine() {
    return "SIP/2.0 " + status + " " + reason;
  }

  @Override
  public String method() {
    return cseq().method();
  }

  /// Returns status, reason and the text of Warning for people, fit for a log and a terminal.
  public String summary() {
    String shortly = status + " " + PeerText.printable(reason);
    return warning().map(text -> shortly + ": " + text).orElse(shortly);
  }

  /// Returns the text of a Warning, which explains a refusal (RFC 3261 section 20.43).
  public Optional<String> warning() {
    return headers
        .first("Warning")
        .map(WARNING::matcher)
        .filter(Matcher::find)
        .map(found -> PeerText.printable(found.group(1)));
  }

  /// Adds a Warning of code 399 with a text for people.
  ///
  /// @param agent host name of the sender of the warning
  public SipResponse withWarning(String agent, String text) {
    return with("Warning", "399 " + agent + " \"" + text.replaceAll("[\"\\\\]", "'") + "\"");
  }

  public SipResponse with(String name, String value) {
    return withHeaders(headers.with(name, value));
  }

  public SipResponse withHeaders(SipHeaders next) {
    return new SipResponse(status, reason, next, body);
  }

  public SipResponse withReason(String next) {
    return new SipResponse(status, next, headers, body);
  }

  /// Adds a tag to To if it has none (RFC 3261 section 8.2.6.2).
  public SipResponse withToTag(String tag) {
    NameAddress to = to();
    return to.parameters().containsKey("tag")
        ? this
        : withHeaders(headers.replaceFirst("To", headers.require("To") + ";tag=" + tag));
  }

  /// Adds a tag to a To that can be read; the answer to a malformed request may have another one,
  /// or none.
  public SipResponse withToTagIfSound(String tag) {
    if (headers.first("To").isEmpty()) {
      return this;
    }
    try {
      return withToTag(tag);
    } catch (IllegalArgumentException e) {
      return this;
    }
  }

  public SipResponse withBody(String contentType, SipBody next) {
    return new SipResponse(status, reason, headers.replace("Content-Type", contentType), next);
  }
}
