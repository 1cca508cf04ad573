package io.viaduct.bridge.registrar;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.viaduct.bridge.SipSide;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.endpoint.Arrival;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes REGISTERs of two users. Input: datagrams separated by a zero octet and sent 30 s apart.
/// Each is sent twice: as it is, and with its user's credentials. Rules (RFC 3261 section 10.3):
///
/// - no user registers without credentials, or registers another user
/// - a refusal has a status of a registrar and changes nothing; 500 only for a request that a later
///   one has overtaken
/// - a success lists all bindings of the user and no others; each has an expiry within the bounds
///   and a URI that a request can be sent to
/// - the number of bindings stays within the bounds
final class RegistrarFuzz {
  private static final Set<Integer> REFUSALS = Set.of(400, 403, 404, 416, 420, 423, 500, 503);
  private static final Duration PAUSE = Duration.ofSeconds(30);

  private final SipSide bridge = new SipSide();

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    for (byte[] datagram : Arrival.datagrams(input)) {
      Optional<SipMessage> message = SipSide.arrival(datagram);
      if (message.isPresent()
          && message.get() instanceof SipRequest request
          && request.method().equals("REGISTER")) {
        register(request);
        bridge.pass(PAUSE);
      }
    }
  }

  private void register(SipRequest request) {
    List<Binding> before = bridge.bindings();
    SipResponse answer = bridge.tellWithCredentials(request);
    List<Binding> after = bridge.bindings();
    boolean late = before.stream().anyMatch(old -> isSuccessor(old, request));
    boolean right =
        answer.status() == 200
            ? isListed(answer, request, after)
            : REFUSALS.contains(answer.status()) && after.equals(before);
    right &= answer.status() != 500 || late;
    right &= answer.status() != 423 || "60".equals(answer.headers().require("Min-Expires"));
    right &= after.size() == bridge.locations().size() && after.size() <= SipSide.BINDINGS_MAX;
    right &= kept(before, request).stream().allMatch(after::contains);
    if (!right) {
      throw new AssertionError(request + " is answered by " + answer + ", bound: " + after);
    }
    for (Binding binding : after) {
      if (!before.contains(binding)) {
        requireSound(binding, request);
      }
    }
  }

  private boolean isListed(SipResponse answer, SipRequest request, List<Binding> after) {
    String user = SipSide.sender(request);
    List<Binding> own = bridge.locations().bindings(user, bridge.now());
    List<String> listed = answer.headers().all("Contact");
    List<String> asked = request.headers().values("Contact");
    boolean same = listed.size() == own.size() && own.size() <= SipSide.CONTACTS_MAX;
    for (int i = 0; same && i < own.size(); i++) {
      NameAddress shown = NameAddress.parse(listed.get(i));
      long seconds = Long.parseLong(shown.parameters().getOrDefault("expires", "0"));
      same =
          SipUri.parse(shown.uri()).equals(SipUri.parse(own.get(i).contact()))
              && seconds >= 1
              && seconds <= SipSide.MOST.toSeconds();
    }
    return same
        && after.containsAll(own)
        && (!asked.contains("*") || own.isEmpty() && asked.size() == 1);
  }

  /// Returns the bindings that a request must not change: those of other users, and those that a
  /// later request has made.
  private static List<Binding> kept(List<Binding> before, SipRequest request) {
    List<Binding> kept = new ArrayList<>();
    for (Binding old : before) {
      if (!old.user().equals(SipSide.sender(request)) || isSuccessor(old, request)) {
        kept.add(old);
      }
    }
    return kept;
  }

  private static boolean isSuccessor(Binding old, SipRequest request) {
    return old.user().equals(SipSide.sender(request))
        && old.callId().equals(request.callId())
        && old.cseq() >= request.cseq().number();
  }

  private void requireSound(Binding binding, SipRequest by) {
    Instant earliest = bridge.now().plus(SipSide.LEAST);
    Instant latest = bridge.now().plus(SipSide.MOST);
    boolean right =
        binding.user().equals(SipSide.sender(by))
            && binding.callId().equals(by.callId())
            && binding.cseq() == by.cseq().number()
            && binding.flow().equals(SipSide.flow(by))
            && binding.registered().equals(bridge.now())
            && !binding.expires().isBefore(earliest)
            && !binding.expires().isAfter(latest)
            && binding.preference() >= 0
            && binding.preference() <= 1000;
    if (!right) {
      throw new AssertionError("bound: " + binding + " by " + by);
    }
    Arrival.requireSound(message(binding, by));
  }

  private static SipRequest message(Binding to, SipRequest like) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Via", "SIP/2.0/UDP a;branch=z9hG4bKx")
            .with("From", like.headers().require("From"))
            .with("To", like.headers().require("To"))
            .with("Call-ID", like.callId())
            .with("CSeq", "1 MESSAGE")
            .with("Max-Forwards", "70");
    return new SipRequest("MESSAGE", to.contact(), headers);
  }

  static List<byte[]> seeds() {
    String one = "m:<sip:a@b>;q=0.5;methods=\"MESSAGE,!INVITE\";+sip.instance=\"<u>\"";
    return List.of(
        Arrival.input(
            SipSide.register("alice", 1, one),
            SipSide.register(
                "alice", 2, "m:<sip:a@c:9>;+sip.instance=\"<u>\";expires=70,<sip:a@d;lr;x=y>"),
            SipSide.register("alice", 1, one),
            SipSide.register("alice", 3, "m:<sip:a@c:9>;expires=0"),
            SipSide.register("alice", 4, "m:*\nExpires:0")),
        Arrival.input(
            SipSide.register("alice", 5, one), SipSide.register("alice", 4, "m:*\nExpires:0")),
        Arrival.input(
            SipSide.register("bob", 1, "m:sip:b@b,sip:b@c"),
            SipSide.register("alice", 1, "m:sip:a@a"),
            SipSide.register("alice", 2, "m:sip:a@b")),
        Arrival.input(SipSide.register("alice", 1, "m:sip:a@a,sip:a@b,sip:a@c")),
        Arrival.input(SipSide.register("alice", 1, "m:<sip:a@b>,<sip:a@b>")),
        Arrival.input(SipSide.register("alice", 1, "m:<sip:a b@c>")),
        Arrival.input(SipSide.register("alice", 1, "m:sip:a>b@c")),
        Arrival.input(SipSide.register("alice", 1, "m:<sip:a@b;x=\"y;z\">")),
        Arrival.input(SipSide.register("alice", 1, "m:<sip:a@b>;q=0.;expires=x\nExpires:7")),
        Arrival.input(SipSide.register("alice", 1, "m:sip:a@b;expires=5")),
        Arrival.input(SipSide.register("alice", 1, "m:*,sip:a@b\nExpires:0")),
        Arrival.input(SipSide.register("alice", 1, "m:*;expires=0")),
        Arrival.input(SipSide.register("carol", 1, "m:<sip:a@b")),
        Arrival.input(SipSide.register("alice", 1, "Require:path,outbound")),
        Arrival.input(
            SipSide.register(
                "alice", 1, "Authorization:Digest username=\"alice\",realm=\"ims.test\",")));
  }
}
