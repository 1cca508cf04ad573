package io.viaduct.bridge.call;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The two ends of a call, as its Record-Route carries them. With it a request inside the call
/// finds its way without state in the bridge, also after a restart of the bridge.
///
/// @param caller user
/// @param callerFlow flow that the INVITE came by
/// @param callee user
/// @param calleeFlow flow that the contact had registered by
record CallRoute(String caller, SipFlow callerFlow, String callee, SipFlow calleeFlow) {
  private static final String SEPARATOR = "\n";

  /// Returns the route as text.
  String text() {
    return String.join(SEPARATOR, caller, callerFlow.toString(), callee, calleeFlow.toString());
  }

  /// Reads the text of a route.
  static Optional<CallRoute> parse(String text) {
    List<String> context = List.of(text.split(SEPARATOR, -1));
    if (context.size() != 4) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new CallRoute(
              context.get(0), flow(context.get(1)), context.get(2), flow(context.get(3))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static SipFlow flow(String text) {
    int colon = text.indexOf(':');
    HostPort address = HostPort.parse(text.substring(colon + 1));
    return new SipFlow(
        Transport.valueOf(text.substring(0, Math.max(colon, 0)).toUpperCase(Locale.ROOT)),
        new InetSocketAddress(InetAddress.ofLiteral(address.host()), address.port()));
  }
}
