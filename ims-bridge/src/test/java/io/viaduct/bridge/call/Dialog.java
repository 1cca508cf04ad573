package io.viaduct.bridge.call;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.io.IOException;
import java.util.List;

/// One end of a call (RFC 3261 section 12) at a [Phone].
final class Dialog {
  final Phone phone;
  final String callId;
  private final String local;
  String remote;
  String target;
  List<String> routes;
  private long cseq;
  SipRequest invite;

  private Dialog(Phone phone, String callId, String local, String remote, String target) {
    this.phone = phone;
    this.callId = callId;
    this.local = local;
    this.remote = remote;
    this.target = target;
    this.routes = List.of();
    this.invite = request("INVITE");
  }

  /// Sends an INVITE without credentials.
  static Dialog begin(Phone phone, String callee, String... headers) throws IOException {
    Dialog dialog =
        new Dialog(
            phone,
            SipEndpoint.token(),
            "<sip:%s@ims.test>;tag=%s".formatted(phone.user, SipEndpoint.token()),
            "<sip:%s@ims.test>".formatted(callee),
            "sip:%s@ims.test".formatted(callee));
    dialog.invite = with(dialog.invite, headers);
    phone.send(dialog.invite);
    return dialog;
  }

  /// Sends an INVITE, and again with credentials.
  static Dialog call(Phone phone, String callee, String... headers) throws Exception {
    Dialog dialog = begin(phone, callee, headers);
    SipResponse challenge = phone.response("INVITE", 407);
    dialog.acknowledge(challenge);
    dialog.invite = phone.sendWithCredentials(dialog.invite, challenge);
    dialog.cseq = dialog.invite.cseq().number();
    return dialog;
  }

  /// Returns the callee's end.
  static Dialog of(Phone phone, SipRequest invite, SipResponse accepted) {
    Dialog dialog =
        new Dialog(
            phone,
            invite.callId(),
            accepted.headers().require("To"),
            invite.headers().require("From"),
            uri(invite.headers().require("Contact")));
    dialog.routes = invite.headers().values("Record-Route");
    return dialog;
  }

  /// Takes what the acceptance says about the other end, and sends the ACK.
  SipRequest accepted(SipResponse acceptance) throws IOException {
    remote = acceptance.headers().require("To");
    target = uri(acceptance.headers().require("Contact"));
    if (routes.isEmpty()) { // a re-INVITE does not change them (RFC 3261 section 12.2)
      routes = acceptance.headers().values("Record-Route").reversed();
    }
    SipRequest ack = request("ACK");
    ack = ack.withHeaders(ack.headers().replaceFirst("CSeq", cseq + " ACK"));
    phone.send(ack);
    return ack;
  }

  /// Sends the ACK of a refusal, with the INVITE's branch.
  void acknowledge(SipResponse refusal) throws IOException {
    phone.send(derived("ACK", refusal.headers().require("To")));
  }

  void cancel() throws IOException {
    phone.send(derived("CANCEL", invite.headers().require("To")));
  }

  private SipRequest derived(String method, String to) {
    return new SipRequest(
        method,
        invite.uri(),
        SipHeaders.NONE
            .with("Via", invite.headers().require("Via"))
            .with("Max-Forwards", "70")
            .with("From", invite.headers().require("From"))
            .with("To", to)
            .with("Call-ID", callId)
            .with("CSeq", invite.cseq().number() + " " + method));
  }

  /// Sends a request inside the dialog.
  SipRequest send(String method, String... headers) throws IOException {
    cseq++;
    SipRequest request = with(request(method), headers);
    phone.send(request);
    return request;
  }

  /// Returns a request of this end.
  SipRequest request(String method) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Via", phone.via())
            .with("Max-Forwards", "70")
            .with("User-Agent", "viaduct")
            .with("From", local)
            .with("To", remote)
            .with("Call-ID", callId)
            .with("CSeq", cseq + " " + method)
            .with("Contact", "<" + phone.contact() + ">");
    for (String route : routes) {
      headers = headers.with("Route", route);
    }
    return new SipRequest(method, target, headers);
  }

  static SipRequest with(SipRequest request, String... headers) {
    SipRequest next = request;
    for (int i = 0; i < headers.length; i += 2) {
      next = next.withHeaders(next.headers().replace(headers[i], headers[i + 1]));
    }
    return next;
  }

  private static String uri(String address) {
    return NameAddress.parse(address).uri();
  }
}
