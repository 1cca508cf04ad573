package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The Service-Route of our registration (RFC 3608): the proxies that a request of ours must visit
/// behind the registrar's address. It belongs to the flow that was registered; requests on another
/// flow go without it. REGISTER has none. Confined to the user agent's thread.
final class ServiceRoute {
  private static final int HOPS_MAX = 16;

  private @Nullable SipFlow flow;
  private List<String> hops = List.of();

  /// Takes the Service-Route of the answer to a REGISTER, in place of the one before (RFC 3608
  /// section 6.1). One that cannot be followed counts as none.
  void granted(SipResponse response, SipFlow registered) {
    flow = registered;
    try {
      hops = routes(response.headers().values("Service-Route"));
    } catch (IllegalArgumentException e) {
      hops = List.of();
    }
  }

  /// Forgets the route, because the registration has ended.
  void forget() {
    flow = null;
    hops = List.of();
  }

  /// Returns the Route values of a request that begins a dialog or stands alone, the nearest hop
  /// first.
  List<String> hops(SipFlow to) {
    return to.equals(flow) ? hops : List.of();
  }

  /// Returns a request with the Route of this registration.
  SipRequest over(SipRequest request, SipFlow to) {
    return routed(request, hops(to));
  }

  /// Returns a request with a Route.
  static SipRequest routed(SipRequest request, List<String> hops) {
    SipRequest routed = request;
    for (String hop : hops) {
      routed = routed.with("Route", hop);
    }
    return routed;
  }

  /// Reads the values of Service-Route or Record-Route as those of Route.
  ///
  /// @throws IllegalArgumentException if a value is no SIP address, or there are too many
  static List<String> routes(List<String> values) {
    if (values.size() > HOPS_MAX) {
      throw new IllegalArgumentException("more than " + HOPS_MAX + " hops in a route");
    }
    return values.stream().map(hop -> "<" + NameAddress.parse(hop).sipUri() + ">").toList();
  }
}
