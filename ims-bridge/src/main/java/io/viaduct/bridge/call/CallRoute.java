package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Binding;
import io.viaduct.service.digest.Sha256;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The two ends of a call, as its Record-Route carries them. With it a request inside the call
/// finds its way without state in the bridge, also after a restart of the bridge.
///
/// @param caller user
/// @param callerAgent names the caller's user agent ([#agent]); empty if it has no instance
/// @param callerFlow flow that the INVITE came by
/// @param callee user
/// @param calleeAgent as above
/// @param calleeFlow flow that the contact had registered by
record CallRoute(
    String caller,
    String callerAgent,
    SipFlow callerFlow,
    String callee,
    String calleeAgent,
    SipFlow calleeFlow) {
  private static final String SEPARATOR = "\n";

  /// Between user and agent. A bridge that knows no agents takes both for a user without contacts,
  /// and sends by the flow.
  private static final char BLANK = ' ';

  private static final int AGENT_BYTES = 6;

  /// Makes a route of ends without instances.
  CallRoute(String caller, SipFlow callerFlow, String callee, SipFlow calleeFlow) {
    this(caller, "", callerFlow, callee, "", calleeFlow);
  }

  /// Returns what names the user agent of a contact in a route: a short digest of `+sip.instance`,
  /// which one user has few of.
  static String agent(Binding contact) {
    return contact.instance().isEmpty()
        ? ""
        : HexFormat.of().formatHex(Sha256.of(contact.instance()), 0, AGENT_BYTES);
  }

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
        caller,
        callerAgent,
        renamed(callerFlow, from, to),
        callee,
        calleeAgent,
        renamed(calleeFlow, from, to));
  }

  private static SipFlow renamed(SipFlow flow, String from, String to) {
    return flow.owner().equals(from) ? flow.of(to) : flow;
  }

  /// Returns the route as text.
  String text() {
    return String.join(
        SEPARATOR,
        end(caller, callerAgent),
        callerFlow.toString(),
        end(callee, calleeAgent),
        calleeFlow.toString());
  }

  private static String end(String user, String agent) {
    return agent.isEmpty() ? user : user + BLANK + agent;
  }

  private static String user(String end) {
    int blank = end.indexOf(BLANK);
    return blank < 0 ? end : end.substring(0, blank);
  }

  private static String agent(String end) {
    int blank = end.indexOf(BLANK);
    return blank < 0 ? "" : end.substring(blank + 1);
  }

  /// Reads the text of a route.
  static Optional<CallRoute> parse(String text) {
    List<String> context = List.of(text.split(SEPARATOR, -1));
    if (context.size() != 4) {
      return Optional.empty();
    }
    String caller = context.get(0);
    String callee = context.get(2);
    try {
      return Optional.of(
          new CallRoute(
              user(caller),
              agent(caller),
              flow(context.get(1)),
              user(callee),
              agent(callee),
              flow(context.get(3))));
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
