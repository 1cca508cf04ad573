package io.viaduct.sip.endpoint;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks the target of a response (RFC 3261 section 18.2, RFC 3581 section 4) against the topmost
/// Via of its request.
public final class ResponseRoute {
  private static final List<SipFlow> FLOWS =
      List.of(
          flow(Transport.UDP, "192.0.2.7"),
          flow(Transport.UDP, "2001:db8::7"),
          flow(Transport.TCP, "192.0.2.7"));
  private static final Pattern PORT = Pattern.compile(":\\s*(\\d+)\\s*$");

  private ResponseRoute() {}

  private static SipFlow flow(Transport transport, String address) {
    return new SipFlow(transport, new InetSocketAddress(address, 40_000));
  }

  /// Checks the target over UDP and TCP.
  ///
  /// @return the request as it is handled from each flow
  /// @throws AssertionError unless `received` and `rport` are the source's, all else in Via is the
  ///   sender's, and the answer goes to the source: to its port if asked for, else to the Via's
  public static List<SipRequest> require(SipRequest request) {
    List<SipRequest> stamped = new ArrayList<>();
    for (SipFlow flow : FLOWS) {
      SipRequest one = TopmostVia.stampSource(request, flow);
      if (!isStamped(request.headers().values("Via"), one.headers().values("Via"), flow)
          || !TopmostVia.stampSource(one, flow).equals(one)
          || !TopmostVia.replyTo(one, flow).equals(expected(request, flow))) {
        throw new AssertionError(
            flow
                + " says "
                + request.headers().values("Via")
                + ", which becomes "
                + one.headers().values("Via")
                + ", answered to "
                + TopmostVia.replyTo(one, flow));
      }
      stamped.add(one);
    }
    return stamped;
  }

  private static boolean isStamped(List<String> before, List<String> after, SipFlow flow) {
    Map<String, String> top = FieldText.parameters(after.getFirst(), ';');
    String port = asksForPort(before) ? Integer.toString(flow.remote().getPort()) : "none";
    return HostPort.numeric(flow.remote().getAddress()).equals(top.get("received"))
        && port.equals(top.getOrDefault("rport", "none"))
        && others(before.getFirst()).equals(others(after.getFirst()))
        && before.subList(1, before.size()).equals(after.subList(1, after.size()));
  }

  private static List<String> others(String via) {
    return FieldText.split(via, ';').stream()
        .filter(part -> !part.matches("(?i)(received|rport)\\s*(=.*)?"))
        .toList();
  }

  private static boolean asksForPort(List<String> vias) {
    return FieldText.parameters(vias.getFirst(), ';').containsKey("rport");
  }

  private static SipFlow expected(SipRequest request, SipFlow flow) {
    List<String> vias = request.headers().values("Via");
    if (flow.transport() == Transport.TCP || asksForPort(vias)) {
      return flow;
    }
    Matcher port = PORT.matcher(FieldText.split(vias.getFirst(), ';').getFirst());
    int to = port.find() ? Integer.parseInt(port.group(1)) : 0;
    InetAddress source = flow.remote().getAddress();
    return new SipFlow(Transport.UDP, new InetSocketAddress(source, to == 0 ? 5060 : to));
  }
}
