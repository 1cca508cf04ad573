package io.viaduct.sip.jain;

import gov.nist.javax.sip.message.SIPMessage;
import gov.nist.javax.sip.stack.HopImpl;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import java.util.ListIterator;
import javax.sip.SipStack;
import javax.sip.address.Hop;
import javax.sip.address.Router;
import javax.sip.message.Request;
import org.jspecify.annotations.Nullable;

/// Routes each request to the flow attached to it, and never to an address in a Route header or in
/// a peer's URI. The stack creates it by its class name.
public final class FlowRouter implements Router {
  public FlowRouter(SipStack stack, @Nullable String outboundProxy) {}

  @Override
  public @Nullable Hop getNextHop(Request request) {
    if (((SIPMessage) request).getApplicationData() instanceof Outgoing(var flow, _)) {
      return hop(flow);
    }
    return null;
  }

  private static Hop hop(SipFlow flow) {
    String address = HostPort.numeric(flow.remote().getAddress());
    return new HopImpl(address, flow.remote().getPort(), flow.transport().name());
  }

  @Override
  public @Nullable ListIterator<?> getNextHops(Request request) {
    return null;
  }

  @Override
  public @Nullable Hop getOutboundProxy() {
    return null;
  }
}
