package io.viaduct.bridge.token;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.viaduct.bridge.SipSide;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.FieldText;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.Arrival;
import io.viaduct.sip.useragent.SessionGrant;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes SUBSCRIBEs of two users. Input: datagrams separated by a zero octet and sent 100 s apart.
/// The responses among them are queued first, as the devices' answers to NOTIFYs. REGISTERs and
/// SUBSCRIBEs are sent in their order, with their user's credentials. The tag `ours` in To is
/// replaced with the tag of the last acceptance. Rules (RFC 6665):
///
/// - a refusal has a status of a notifier and causes no NOTIFY
/// - an acceptance has an expiry within the bounds and not above the requested one, and causes one
///   NOTIFY at once
/// - each NOTIFY belongs to a dialog, has its event, and a CSeq above its last
/// - only registered users get a token
/// - the number of subscriptions stays within the bound
final class SubscribeFuzz {
  private static final Set<Integer> REFUSALS =
      Set.of(400, 403, 406, 416, 420, 423, 481, 483, 489, 500, 503);
  private static final Duration PAUSE = Duration.ofSeconds(100);

  private final SipSide bridge = new SipSide();
  private final Map<String, Dialog> dialogs = new HashMap<>(); // by Call-ID and both tags
  private String ours = "";

  /// @param user user who subscribed
  /// @param event Event of the first SUBSCRIBE
  /// @param cseq of its last NOTIFY
  private record Dialog(String user, String event, long cseq) {}

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    List<SipMessage> messages =
        Arrival.datagrams(input).stream().flatMap(d -> SipSide.arrival(d).stream()).toList();
    for (SipMessage message : messages) {
      if (message instanceof SipResponse response && response.isFinal()) {
        bridge.willAnswer(response);
      }
    }
    for (SipMessage message : messages) {
      if (message instanceof SipRequest request) {
        request(request);
      }
    }
  }

  private void request(SipRequest request) {
    switch (request.method()) {
      case "REGISTER" -> bridge.tellWithCredentials(request);
      case "SUBSCRIBE" -> subscribe(inDialog(request));
      default -> {
        return;
      }
    }
    bridge.pass(PAUSE);
    bridge.sent().forEach(this::requireInDialog);
  }

  private SipRequest inDialog(SipRequest request) {
    String to = request.headers().require("To");
    return request.to().tag().equals("ours") && !ours.isEmpty()
        ? request.withHeaders(request.headers().replaceFirst("To", to.replace("ours", ours)))
        : request;
  }

  private void subscribe(SipRequest request) {
    SipResponse answer = bridge.tellWithCredentials(request);
    List<SipSide.Sent> notified = bridge.sent();
    if (answer.status() == 200) {
      ours = answer.to().tag();
      dialogs.putIfAbsent(
          key(request.callId(), ours, request.from().tag()),
          new Dialog(SipSide.sender(request), event(request), 0));
    }
    boolean right =
        answer.status() == 200
            ? isWithinBounds(request, answer)
                && notified.size() == 1
                && notified.getFirst().target().equals(SipSide.flow(request))
            : REFUSALS.contains(answer.status()) && notified.isEmpty();
    right &= answer.status() != 423 || "60".equals(answer.headers().require("Min-Expires"));
    right &= answer.status() != 406 || !isServed(request);
    right &= answer.status() != 200 || isServed(request);
    right &= bridge.subscriptions() <= SipSide.SUBSCRIPTIONS_MAX;
    if (!right) {
      throw new AssertionError(request + " is answered by " + answer + ", then " + notified);
    }
    notified.forEach(this::requireInDialog);
  }

  private static boolean isServed(SipRequest request) {
    List<String> ranges = request.headers().values("Accept");
    return ranges.isEmpty()
        || ranges.stream()
            .anyMatch(
                range -> range.matches("(?i)(application/json|application/\\*|\\*/\\*)\\s*(;.*)?"));
  }

  private static boolean isWithinBounds(SipRequest request, SipResponse answer) {
    long asked =
        request.headers().first("Expires").map(Long::parseLong).orElse(SipSide.USUAL.toSeconds());
    long given = Long.parseLong(answer.headers().require("Expires"));
    return given == Math.min(asked, SipSide.MOST.toSeconds())
        && (given == 0 || given >= SipSide.LEAST.toSeconds());
  }

  private static String key(String callId, String ours, String theirs) {
    return callId + " " + ours + " " + theirs;
  }

  private void requireInDialog(SipSide.Sent sent) {
    SipRequest notify = sent.request();
    String key = key(notify.callId(), notify.from().tag(), notify.to().tag());
    Dialog dialog = dialogs.get(key);
    String state = notify.headers().require("Subscription-State");
    boolean active = state.matches("active;expires=[1-9]\\d{0,3}");
    boolean right =
        dialog != null
            && notify.cseq().number() == dialog.cseq + 1
            && notify.headers().require("Event").equals(dialog.event)
            && (active
                ? isRegistered(dialog.user) && !grant(notify).token().isEmpty()
                : state.matches("terminated;reason=(timeout|deactivated)")
                    && notify.body().length() == 0);
    if (!right) {
      throw new AssertionError("notified: " + sent + " in " + dialogs);
    }
    dialogs.put(key, new Dialog(dialog.user, dialog.event, dialog.cseq + 1));
  }

  private static String event(SipRequest subscribe) {
    String id =
        FieldText.parameters(subscribe.headers().require("Event"), ';').getOrDefault("id", "");
    return "snapt-session" + (id.isEmpty() ? "" : ";id=" + id);
  }

  private boolean isRegistered(String user) {
    return bridge.bindings().stream().map(Binding::user).anyMatch(user::equals);
  }

  private static SessionGrant grant(SipRequest notify) {
    return SessionGrant.parse(notify.body().text());
  }

  private static String subscribe(String to, int cseq, String more) {
    String body = "{\"deviceKey\":\"%s\"}".formatted("A".repeat(43));
    return """
    SUBSCRIBE sip:s SIP/2.0
    v:SIP/2.0/UDP a
    f:sip:alice@ims.test;tag=1
    t:%s
    i:a
    CSeq:%d SUBSCRIBE
    Max-Forwards:9
    l:%d
    %s

    %s\
    """
        .formatted(to, cseq, body.length(), more, body);
  }

  private static String answer(String status) {
    return """
    SIP/2.0 %s
    v:SIP/2.0/UDP a
    f:sip:a@b
    t:sip:a@b
    i:a
    CSeq:1 NOTIFY
    l:0

    """
        .formatted(status);
  }

  static List<byte[]> seeds() {
    String alice = SipSide.register("alice", 1, "m:sip:a@b");
    String good = "o:snapt-session;id=7\nm:<sip:a@b>;x\nAccept:text/plain,application/json;q=1";
    return List.of(
        Arrival.input(
            alice,
            subscribe("sip:s", 1, good),
            subscribe("sip:s;tag=ours", 2, good + "\nExpires:4000000000"),
            subscribe("sip:s;tag=ours", 2, good),
            subscribe("sip:s;tag=ours", 3, good + "\nExpires:0")),
        Arrival.input(
            alice,
            subscribe("sip:s", 1, good),
            subscribe("sip:s", 1, good),
            subscribe("<sip:s>;tag=x", 1, good)),
        Arrival.input(
            alice, subscribe("sip:s", 1, good), SipSide.register("alice", 2, "m:*\nExpires:0")),
        Arrival.input(
            alice,
            answer("481 Gone"),
            subscribe("sip:s", 1, good),
            subscribe("sip:s;tag=ours", 2, good)),
        Arrival.input(
            alice,
            subscribe("sip:s", 2, good),
            subscribe("sip:s;tag=ours", 1, good),
            subscribe("sip:s;tag=ours", 3, good.replace("id=7", "id=8"))),
        Arrival.input(subscribe("sip:s", 1, good)),
        Arrival.input(alice, subscribe("sip:s", 1, good + "\nExpires:9")),
        Arrival.input(alice, subscribe("sip:s", 1, "o:snapt-session\nm:<sip:a b@c>")),
        Arrival.input(alice, subscribe("sip:s", 1, "o:snapt-session\nm:<sip:a@b>,<sip:c")),
        Arrival.input(
            alice, subscribe("sip:s", 1, "o:snapt-session\nm:sip:a@b\nAccept:Application/*")),
        Arrival.input(alice, subscribe("sip:s", 1, "o:snapt-session\nAccept:text/plain")),
        Arrival.input(alice, subscribe("sip:s", 1, "o:presence\nm:sip:a@b")),
        Arrival.input(alice, subscribe("sip:s", 1, good).replace("AAAA", "\"AA")));
  }
}
