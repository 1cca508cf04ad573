package io.viaduct.sip.useragent;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.Arrival;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Answers of a registrar to a device's REGISTERs. Input: datagrams with a zero octet between two.
/// The responses among them are given in turn, repeated for a quarter of a minute.
///
/// Rules:
/// - One Call-ID, and each CSeq is higher than the last.
/// - An answer ends the attempt, and a Retry-After of up to ten minutes is kept.
/// - The device asks again before the requested lifetime is over, whatever is granted, and at most
///   twice a second, challenges and a 423 apart.
/// - Messages for people are fit for a log and a terminal.
final class RegistrarAnswerFuzz implements RegistrarFlow.Events {
  /// Twice a second, each time with one 423 and three requests.
  private static final int REQUESTS_MAX = 15 * 2 * 2 * 3;

  private final ScriptedPeer peer = new ScriptedPeer(this::onSent);
  private final RegistrarFlow flow;
  private List<SipResponse> script = List.of();
  private int requests;
  private String callId = "";
  private long cseq = -1;

  private RegistrarAnswerFuzz() {
    flow =
        new RegistrarFlow(
            ScriptedPeer.SETTINGS,
            () -> Instant.ofEpochMilli(peer.nowMs()),
            new Random(42),
            peer,
            peer.client,
            peer.identity,
            peer.owner::add,
            this);
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    script =
        Arrival.datagrams(input).stream()
            .flatMap(datagram -> Arrival.of(datagram, ScriptedPeer.FLOW).stream())
            .filter(SipResponse.class::isInstance)
            .map(SipResponse.class::cast)
            .toList();
    flow.register();
    while (!peer.isOver()) {
      flow.tick(peer.nowMs());
      peer.drain();
      peer.step(flow.phase());
    }
  }

  private void onSent(SipRequest request) {
    peer.require(++requests <= REQUESTS_MAX, "asks all the time");
    peer.require(callId.isEmpty() || callId.equals(request.callId()), "another Call-ID");
    peer.require(request.cseq().number() > cseq, "not in order: " + request.cseq());
    callId = request.callId();
    cseq = request.cseq().number();
    boolean registers = request.headers().first("Contact").isPresent();
    if (registers) {
      peer.asked(request);
    }
    if (script.isEmpty()) {
      return;
    }
    SipResponse response = script.get((requests - 1) % script.size());
    if (registers
        && !response.isSuccess()
        && !ScriptedPeer.isChallenge(response)
        && response.status() != 423) {
      peer.refused(response);
    }
    peer.answer(response);
  }

  @Override
  public void registered(boolean isAnew) {
    flow.tick(peer.nowMs()); // as the user agent does
  }

  @Override
  public void onDetail(String detail) {
    peer.requireWords(detail);
  }

  private static String answer(String start, String more) {
    return ScriptedPeer.response(start, "REGISTER", more);
  }

  static List<byte[]> seeds() {
    String challenge =
        "WWW-Authenticate:Digest realm=\"ims.test\",nonce=\"n\",qop=\"auth\",algorithm=SHA-256%s\n";
    String ours = "m:<sip:alice@192.0.2.7:5060>;expires=%s\n";
    return List.of(
        Arrival.input(
            answer("401 No", challenge.formatted("")), answer("200 OK", ours.formatted("8"))),
        Arrival.input(answer("200 OK", "m:<sip:b@c>,<sip:x\nExpires:9\n")),
        Arrival.input(answer("200 OK", ours.formatted("0"))),
        Arrival.input(answer("200 OK", ours.formatted("4000000000"))),
        Arrival.input(answer("200 OK", ours.formatted("8")), answer("200 OK", "")),
        Arrival.input(
            answer("423 Brief", "Min-Expires:60\n"), answer("423 Brief", "Min-Expires:90\n")),
        Arrival.input(answer("401 No", challenge.formatted(",stale=true"))),
        Arrival.input(answer("407 No", "Proxy-" + challenge.formatted("").substring(4))),
        Arrival.input(answer("503 Later", "Retry-After:20 (a \\) while);duration=9\n")),
        Arrival.input(answer("500 \u009b2J", "Retry-After:99999999999\n")),
        Arrival.input(""));
  }
}
