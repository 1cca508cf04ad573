package io.viaduct.sip.invite;

import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.ArrayList;
import java.util.List;

/// Makes the two requests that a client transaction derives from its INVITE. Both have its
/// Request-URI, its topmost Via, its Call-ID, the number of its CSeq, and its Route.
final class InviteRequests {
  private InviteRequests() {}

  /// Returns the ACK of a refusal (RFC 3261 section 17.1.1.3); To is that of the refusal.
  static SipRequest ack(SipRequest invite, SipResponse refusal) {
    return derived(invite, "ACK", refusal.headers().require("To"));
  }

  /// Returns the CANCEL of an INVITE (RFC 3261 section 9.1).
  ///
  /// @param reason value of Reason (RFC 3326), or empty
  static SipRequest cancel(SipRequest invite, String reason) {
    SipRequest cancel = derived(invite, "CANCEL", invite.headers().require("To"));
    return reason.isEmpty() ? cancel : cancel.with("Reason", reason);
  }

  private static SipRequest derived(SipRequest invite, String method, String to) {
    SipHeaders from = invite.headers();
    List<SipHeader> headers = new ArrayList<>();
    headers.add(new SipHeader("Via", from.values("Via").getFirst()));
    from.all("Route").forEach(route -> headers.add(new SipHeader("Route", route)));
    headers.add(new SipHeader("Max-Forwards", "70"));
    headers.add(new SipHeader("From", from.require("From")));
    headers.add(new SipHeader("To", to));
    headers.add(new SipHeader("Call-ID", from.require("Call-ID")));
    headers.add(new SipHeader("CSeq", invite.cseq().number() + " " + method));
    return new SipRequest(method, invite.uri(), new SipHeaders(headers));
  }
}
