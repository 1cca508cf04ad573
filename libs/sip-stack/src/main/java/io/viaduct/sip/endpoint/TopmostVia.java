package io.viaduct.sip.endpoint;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Handles the topmost Via value of a request, which says where its response goes (RFC 3261 section
/// 18.2, RFC 3581).
final class TopmostVia {
  private static final int DEFAULT_PORT = 5060;
  private static final Pattern PROTOCOL =
      Pattern.compile("(?i)^SIP\\s*/\\s*[0-9.]+\\s*/\\s*[A-Za-z0-9-]+\\s+");
  private static final Pattern COMMENT = Pattern.compile("\\s*\\(.*$");
  private static final Pattern BLANKS = Pattern.compile("\\s");

  private TopmostVia() {}

  /// Writes the packet's source into the Via: always `received`, and `rport` if the sender asked
  /// for it.
  static SipRequest stampSource(SipRequest request, SipFlow flow) {
    String line = request.headers().require("Via");
    List<String> values = FieldText.split(line, ',');
    List<String> parts =
        FieldText.split(values.getFirst(), ';').stream()
            .filter(part -> !isParameter(part, "received"))
            .toList();
    StringBuilder stamped = new StringBuilder();
    for (String part : parts) {
      stamped.append(stamped.isEmpty() ? "" : ";");
      stamped.append(isParameter(part, "rport") ? "rport=" + flow.remote().getPort() : part);
    }
    stamped.append(";received=").append(HostPort.numeric(flow.remote().getAddress()));
    for (String rest : values.subList(1, values.size())) {
      stamped.append(", ").append(rest);
    }
    return request.withHeaders(request.headers().replaceFirst("Via", stamped.toString()));
  }

  /// Returns the flow that the response goes to. On a connection it is the same connection. Over
  /// UDP it is the source address, with the source port if `rport` was asked for, else the port of
  /// the Via.
  static SipFlow replyTo(SipRequest request, SipFlow flow) {
    if (flow.transport().isReliable()) {
      return flow;
    }
    String value = FieldText.split(request.headers().require("Via"), ',').getFirst();
    Map<String, String> parameters = FieldText.parameters(value, ';');
    if (parameters.containsKey("rport")) {
      return flow;
    }
    int port = HostPort.parse(sentBy(value)).port();
    return new SipFlow(
        Transport.UDP,
        new InetSocketAddress(flow.remote().getAddress(), port == 0 ? DEFAULT_PORT : port));
  }

  /// Returns sent-by and branch, which identify the transaction (RFC 3261 section 17.2.3). A
  /// request of RFC 2543 has no branch.
  static String transaction(SipRequest request) {
    String value = FieldText.split(request.headers().require("Via"), ',').getFirst();
    return sentBy(value) + ";" + FieldText.parameters(value, ';').getOrDefault("branch", "");
  }

  private static String sentBy(String value) {
    String head = PROTOCOL.matcher(FieldText.split(value, ';').getFirst()).replaceFirst("");
    return BLANKS.matcher(COMMENT.matcher(head).replaceAll("")).replaceAll("");
  }

  private static boolean isParameter(String part, String name) {
    int equals = part.indexOf('=');
    return (equals < 0 ? part : part.substring(0, equals)).strip().equalsIgnoreCase(name);
  }
}
