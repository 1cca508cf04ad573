package io.viaduct.bridge.registrar;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.viaduct.bridge.SipSide;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.endpoint.Arrival;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes MESSAGEs between users. Input: datagrams separated by a zero octet. The responses among
/// them are queued first, as the contacts' answers. REGISTERs and MESSAGEs are sent in their order,
/// with their user's credentials. Rules (RFC 3261 section 16):
///
/// - only messages of an authenticated sender are forwarded, once to each contact of the recipient
///   that takes MESSAGE
/// - a forwarded message has one hop less, its share of Max-Breadth, and neither credentials, Route
///   nor an asserted identity; the rest is unchanged
/// - a message that is not forwarded is refused for a reason of the proxy
/// - the sender gets one answer that matches his request, whatever a contact wrote
final class MessageFuzz {
  private static final Set<Integer> REFUSALS = Set.of(403, 404, 407, 416, 420, 440, 480, 482, 483);

  private final SipSide bridge = new SipSide();

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    List<SipRequest> requests = new ArrayList<>();
    for (byte[] datagram : Arrival.datagrams(input)) {
      switch (SipSide.arrival(datagram).orElse(null)) {
        case SipResponse response when response.isFinal() -> bridge.willAnswer(response);
        case SipRequest request -> requests.add(request);
        case null, default -> {}
      }
    }
    for (SipRequest request : requests) {
      switch (request.method()) {
        case "REGISTER" -> bridge.tellWithCredentials(request);
        case "MESSAGE" -> message(request);
        default -> {}
      }
    }
  }

  private void message(SipRequest request) {
    SipResponse answer = bridge.tellWithCredentials(request);
    List<SipSide.Sent> branches = bridge.sent();
    if (branches.isEmpty() && !REFUSALS.contains(answer.status())) {
      throw new AssertionError(request + " goes nowhere and is answered by " + answer);
    }
    List<Binding> left = new ArrayList<>();
    if (!branches.isEmpty()) {
      String recipient = SipUri.parse(request.uri()).user();
      left.addAll(bridge.locations().bindings(recipient, bridge.now()));
    }
    for (SipSide.Sent branch : branches) {
      boolean due =
          left.removeIf(contact ->
              contact.contact().equals(branch.request().uri())
                  && contact.flow().equals(branch.target())
                  && contact.allows("MESSAGE"));
      if (!due || !isPassedOn(request, branch.request())) {
        throw new AssertionError(request + " goes on as " + branch);
      }
    }
  }

  private static boolean isPassedOn(SipRequest from, SipRequest to) {
    int hops = Integer.parseInt(from.headers().require("Max-Forwards"));
    return to.method().equals("MESSAGE")
        && to.body().equals(from.body())
        && hops > 0
        && to.headers().all("Max-Forwards").equals(List.of(Integer.toString(hops - 1)))
        && to.from().sipUri().addressOfRecord().equals(SipUri.of(SipSide.sender(from), "ims.test"))
        && rest(to).equals(rest(from))
        && rest(to).equals(to.headers().without("Max-Forwards").without("Max-Breadth"));
  }

  private static SipHeaders rest(SipMessage message) {
    return message
        .headers()
        .without("Authorization")
        .without("Proxy-Authorization")
        .without("Route")
        .without("P-Asserted-Identity")
        .without("P-Preferred-Identity")
        .without("Max-Breadth")
        .without("Max-Forwards");
  }

  private static String request(String method, String uri, String from, String more) {
    return """
    %s %s SIP/2.0
    v:SIP/2.0/UDP a;branch=z9hG4bKs
    f:sip:%s@ims.test
    t:sip:%s@ims.test
    i:a
    CSeq:1 %s
    %s

    """
        .formatted(method, uri, from, from, method, more);
  }

  private static String contact(String user, String contacts) {
    return request("REGISTER", "sip:ims.test", user, "Max-Forwards:9\nl:0\nm:" + contacts);
  }

  private static String message(String more) {
    return request("MESSAGE", "sip:alice@ims.test", "bob", more + "\nl:2") + "hi";
  }

  private static String answer(String status, String more) {
    return """
    SIP/2.0 %s
    v:SIP/2.0/UDP 192.0.2.1
    f:sip:bob@ims.test
    t:sip:alice@ims.test;tag=1
    i:a
    CSeq:1 MESSAGE
    l:0
    %s
    """
        .formatted(status, more);
  }

  static List<byte[]> seeds() {
    String alice = contact("alice", "<sip:a@b>;q=0.9,<sip:a@c>");
    String hops = "Max-Forwards:7";
    return List.of(
        Arrival.input(
            alice, message(hops + "\nRoute:<sip:x>\nX:y\nProxy-Authorization:Digest a=b")),
        Arrival.input(alice, message("Max-Forwards:0")),
        Arrival.input(alice, message("Max-Forwards:007")),
        Arrival.input(message(hops)),
        Arrival.input(contact("alice", "<sip:a@b>;methods=\"INVITE\""), message(hops)),
        Arrival.input(contact("alice", "<sip:a@b,c>,<sip:a b@c>"), message(hops)),
        Arrival.input(contact("alice", "<sip:a@(>"), message(hops)),
        Arrival.input(
            alice, answer("486 Busy", ""), answer("405 No", "Allow:OPTIONS\n"), message(hops)),
        Arrival.input(alice, answer("503 Later", "Retry-After:9\n"), message(hops)),
        Arrival.input(alice, answer("600 No\u009b", "v:SIP/2.0/UDP x\n"), message(hops)),
        Arrival.input(alice, message(hops).replace("alice", "carol")),
        Arrival.input(alice, message(hops + "\nRequire:x")),
        Arrival.input(alice, message(hops + "\nProxy-Require:x")),
        Arrival.input(alice, message(hops + "\nMax-Breadth:1")),
        Arrival.input(alice, message(hops + "\nMax-Breadth:4\nP-Asserted-Identity:<sip:x>")));
  }
}
