package io.viaduct.bridge.core;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.List;

/// The way from the bridge to the other end of a dialog that the other end began (RFC 3261 section
/// 12.1.1). A refresh moves the flow; the route set stays (section 12.2).
///
/// @param routes lines of the route set: the Record-Route of the first request, the nearest hop
///   first
/// @param contact value of the bridge's Contact in this dialog
public record DialogPath(SipFlow flow, List<String> routes, String contact) {
  private static final int ROUTES_MAX = 16;

  public DialogPath {
    routes = List.copyOf(routes);
  }

  /// Returns whether a request has come by more proxies than a dialog is kept for.
  public static boolean isTooLong(SipRequest request) {
    return request.headers().all("Record-Route").size() > ROUTES_MAX;
  }

  /// Returns the same way by another flow.
  public DialogPath by(SipFlow next) {
    return new DialogPath(next, routes, contact);
  }

  /// Returns the header fields of a request inside the dialog.
  public SipHeaders routed(SipHeaders headers) {
    SipHeaders routed = headers.with("Contact", contact);
    for (String hops : routes) {
      routed = routed.with("Route", hops);
    }
    return routed;
  }

  /// Returns the answer that accepts a request: it repeats Record-Route, so that the other end has
  /// the same route set.
  public SipResponse accepted(SipRequest request, SipResponse answer) {
    SipResponse accepted = answer.with("Contact", contact);
    for (String hop : request.headers().all("Record-Route")) {
      accepted = accepted.with("Record-Route", hop);
    }
    return accepted;
  }
}
