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

  /// Returns the route as all bridges understand it: flows of this bridge have its name.
  ///
  /// @param self name of this bridge
  CallRoute told(String self) {
    return renamed("", self);
  }

  /// Returns the route as this bridge understands it.
  CallRoute heard(String self) {
    return renamed(self, "");
  }

  private CallRoute renamed(String from, String to) {
    return new CallRoute(
        caller, renamed(callerFlow, from, to), callee, renamed(calleeFlow, from, to));
  }

  private static SipFlow renamed(SipFlow flow, String from, String to) {
    return flow.owner().equals(from) ? flow.of(to) : flow;
  }

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
    int at = text.indexOf('@', colon + 1);
    HostPort address = HostPort.parse(text.substring(colon + 1, at < 0 ? text.length() : at));
    return new SipFlow(
        Transport.valueOf(text.substring(0, Math.max(colon, 0)).toUpperCase(Locale.ROOT)),
        new InetSocketAddress(InetAddress.ofLiteral(address.host()), address.port()),
        at < 0 ? "" : text.substring(at + 1));
  }
}
