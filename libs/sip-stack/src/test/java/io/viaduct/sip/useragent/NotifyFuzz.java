package io.viaduct.sip.useragent;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.Arrival;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Answers of a bridge to a device's SUBSCRIBEs, and its NOTIFYs. Input: datagrams with a zero
/// octet between two, repeated every 100 ms for a quarter of a minute. In a NOTIFY the Call-ID
/// `ours` and the To tag `ours` stand for those of the last SUBSCRIBE, and CSeq 0 stands for the
/// next one.
///
/// Rules:
/// - Each NOTIFY is answered once with a status of RFC 6665.
/// - A session is granted only by an accepted NOTIFY that is in the dialog, is in order, and does
///   not end it.
/// - An answer ends the attempt, and a Retry-After is kept.
/// - The device asks again before the requested lifetime is over, whatever is granted, and at most
///   twice a second, challenges and a 423 apart.
/// - Messages for people are fit for a log and a terminal.
final class NotifyFuzz implements SessionSubscriber.Events {
  private static final Set<Integer> ANSWERS = Set.of(200, 400, 481, 489, 500);
  private static final int ATTEMPTS_MAX = 15 * 2 + 1;

  private final ScriptedPeer peer = new ScriptedPeer(this::onSent);
  private final SessionSubscriber subscriber;
  private final List<SessionGrant> grants = new ArrayList<>();
  private SipRequest subscribe;
  private int requests;
  private int immediateRepeats; // requests repeated at once, for example after a challenge
  private long notified;
  private String grantedBy = "";

  private NotifyFuzz() {
    subscriber =
        new SessionSubscriber(
            ScriptedPeer.SETTINGS,
            () -> Instant.ofEpochMilli(peer.nowMs()),
            new Random(42),
            peer.client,
            peer.identity,
            peer.owner::add,
            this);
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    List<SipMessage> script =
        Arrival.datagrams(input).stream()
            .flatMap(datagram -> Arrival.of(datagram, ScriptedPeer.FLOW).stream())
            .filter(m -> m instanceof SipResponse || m.method().equals("NOTIFY"))
            .toList();
    subscriber.subscribe(new byte[32]);
    for (int i = 0; !peer.isOver(); i++) {
      subscriber.tick(peer.nowMs(), ScriptedPeer.FLOW);
      if (!script.isEmpty()) {
        switch (script.get(i % script.size())) {
          case SipResponse response -> answer(response);
          case SipRequest notify -> notify(ours(notify));
        }
      }
      peer.drain();
      peer.step(subscriber.phase());
    }
  }

  private void onSent(SipRequest request) {
    peer.require(++requests <= ATTEMPTS_MAX + immediateRepeats, "asks all the time");
    peer.asked(request);
    subscribe = request;
  }

  private void answer(SipResponse response) {
    if (!peer.isAsked()) {
      return;
    }
    if (ScriptedPeer.isChallenge(response) || response.status() == 423) {
      immediateRepeats++;
    } else if (!response.isSuccess() && subscriber.phase() == Phase.TRYING) {
      peer.refused(response);
    }
    peer.answer(response);
  }

  private SipRequest ours(SipRequest notify) {
    SipRequest next = notify;
    if (notify.cseq().number() == 0) {
      next = next.withHeaders(next.headers().replaceFirst("CSeq", ++notified + " NOTIFY"));
    }
    if (subscribe != null && notify.callId().equals("ours")) {
      next = next.withHeaders(next.headers().replaceFirst("Call-ID", subscribe.callId()));
    }
    if (subscribe != null && notify.to().tag().equals("ours")) {
      String to = subscribe.headers().require("From");
      next = next.withHeaders(next.headers().replaceFirst("To", to));
    }
    return next;
  }

  private void notify(SipRequest notify) {
    List<SipResponse> answers = new ArrayList<>();
    int before = grants.size();
    subscriber.onNotify(
        new IncomingRequest() {
          @Override
          public SipRequest message() {
            return notify;
          }

          @Override
          public SipFlow flow() {
            return ScriptedPeer.FLOW;
          }

          @Override
          public boolean begin(Runnable onCancel) {
            return true;
          }

          @Override
          public void answer(SipResponse response) {
            answers.add(response.withToTag("device"));
          }
        });
    if (answers.size() != 1 || !ANSWERS.contains(answers.getFirst().status())) {
      throw new AssertionError("answered " + answers);
    }
    Arrival.requireSound(answers.getFirst());
    boolean ends =
        notify
            .headers()
            .first("Subscription-State")
            .orElse("")
            .toLowerCase(Locale.ROOT)
            .matches("terminated\\s*(;.*)?");
    boolean accepted = answers.getFirst().status() == 200;
    if (grants.size() - before != (accepted && !ends ? 1 : 0)) {
      throw new AssertionError("granted: " + grants + " by " + notify);
    }
    if (accepted) {
      requireInDialog(notify);
      if (ends && subscriber.phase() == Phase.ACTIVE) {
        throw new AssertionError("not ended by " + notify);
      }
    }
  }

  private void requireInDialog(SipRequest notify) {
    String place = notify.callId() + " " + notify.from().tag();
    boolean inDialog =
        subscribe != null
            && notify.callId().equals(subscribe.callId())
            && notify.to().tag().equals(subscribe.from().tag())
            && notify.headers().first("Event").orElse("").matches("snapt-session\\s*(;.*)?");
    String by = place + " " + notify.cseq().number();
    if (!inDialog || by.equals(grantedBy)) {
      throw new AssertionError("accepted, as was " + grantedBy + ": " + notify);
    }
    grantedBy = by;
  }

  @Override
  public void granted(SessionGrant grant) {
    grants.add(grant);
    if (grant.toString().chars().anyMatch(Character::isISOControl)) {
      throw new AssertionError("not fit for a log: " + grant);
    }
  }

  @Override
  public void unregistered() {}

  @Override
  public void onDetail(String detail) {
    peer.requireWords(detail);
  }

  private static String answer(String start, String more) {
    return ScriptedPeer.response(start, "SUBSCRIBE", more);
  }

  private static String notify(int cseq, String state, String body) {
    return """
    NOTIFY sip:a@b SIP/2.0
    v:SIP/2.0/UDP a
    f:sip:a@b;tag=1
    t:sip:a@b;tag=ours
    i:ours
    CSeq:%d NOTIFY
    Max-Forwards:9
    o:snapt-session
    Subscription-State:%s
    l:%d

    %s\
    """
        .formatted(cseq, state, body.length(), body);
  }

  private static String grant(String sid, long expiresMs) {
    return """
    {"sid":"%s","relays":[{"id":"a","host":"h","controlPort":1,"dataPort":2,"prio":0}],\
    "token":"t","kid":"k","exp":%d,"reportSec":5,"icid":"i"}\
    """
        .formatted(sid, expiresMs);
  }

  static List<byte[]> seeds() {
    String good = grant("s", 1_790_000_600_000L);
    return List.of(
        Arrival.input(answer("200 OK", "m:<sip:snapt@b>\nExpires:8\n"), notify(0, "active", good)),
        Arrival.input(answer("200 OK", "Expires:0\n"), notify(1, "active;expires=0", good)),
        Arrival.input(answer("202 OK", "Expires:4000000000\n"), notify(0, "active", "{}")),
        Arrival.input(answer("200 OK", ""), notify(0, "active", grant("s", 0))),
        Arrival.input(answer("200 OK", ""), notify(0, "active", grant("s", 1_790_000_015_900L))),
        Arrival.input(answer("200 OK", ""), notify(0, "active", grant("\\u001b[2J\\n", 9))),
        Arrival.input(answer("200 OK", ""), notify(0, "Terminated ; reason=\u009b", good)),
        Arrival.input(answer("200 OK", ""), notify(0, "terminatedly", good)),
        Arrival.input(answer("200 OK", ""), notify(0, "active", good).replace("snapt-s", "s")),
        Arrival.input(answer("200 OK", ""), notify(7, "active", good).replace("i:ours", "i:o")),
        Arrival.input(answer("200 OK", "m:<sip:x\n")),
        Arrival.input(answer("200 OK", "m:<sip:x y>\n")),
        Arrival.input(answer("423 Brief", "Min-Expires:20\n"), answer("200 OK", "")),
        Arrival.input(answer("481 Gone\u009b", ""), answer("403 No", "Retry-After:4;x\n")));
  }
}
