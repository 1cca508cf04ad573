package io.viaduct.sip.useragent;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.endpoint.Arrival;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.jain.ParserProbe;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The network, thread and clock of a user agent, for fuzz targets. Requests wait for [#answer],
/// tasks of the owner's thread for [#drain], time for [#step].
final class ScriptedPeer implements RequestSender {
  static final SipFlow FLOW = new SipFlow(Transport.UDP, new InetSocketAddress("192.0.2.1", 5060));

  /// Uses short times, so that 15 s show if a registration is renewed.
  static final UserAgentSettings SETTINGS =
      new UserAgentSettings(
          "ims.test",
          "alice",
          "alice-secret",
          new HostPort("192.0.2.1", 5060),
          Transport.UDP,
          Duration.ofSeconds(10),
          Duration.ofSeconds(4),
          Duration.ofSeconds(6),
          Duration.ofSeconds(5),
          ProbePace.USUAL,
          Set.of(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5),
          SipEndpointSettings.client(new InetSocketAddress(0)));

  private static final String VIA = "SIP/2.0/UDP 192.0.2.7:5060;branch=z9hG4bKx;rport";
  private static final BigInteger TEN_MINUTES = BigInteger.valueOf(600);
  private static final int WORDS_MAX = 400;
  private static final long BEGIN_MS = 1_790_000_000_000L;
  private static final long END_MS = BEGIN_MS + 15_000;
  private static final long STEP_MS = 100;

  /// Longest pause between requests: the longest back-off, a missing answer, and the clock's step.
  private static final long PAUSE_MS_MAX = 5_000 + 4_000 + 2 * STEP_MS;

  final Deque<Runnable> owner = new ArrayDeque<>();
  final LocalIdentity identity = new LocalIdentity(SETTINGS, this, List.of("NOTIFY", "OPTIONS"));
  final AuthenticatedClient client =
      new AuthenticatedClient(
          this,
          new DigestClient(SETTINGS.user(), SETTINGS.password(), SETTINGS.algorithms()),
          owner::add);
  private final Deque<CompletableFuture<SipResponse>> waiting = new ArrayDeque<>();
  private final Consumer<SipRequest> onSent;
  private String breach = "";
  private long nowMs = BEGIN_MS;
  private long askedMs;
  private long lastMs = nowMs;
  private long silentUntilMs;

  ScriptedPeer(Consumer<SipRequest> onSent) {
    this.onSent = onSent;
  }

  long nowMs() {
    return nowMs;
  }

  /// Returns true after the quarter of a minute that a run lasts.
  boolean isOver() {
    return nowMs >= END_MS;
  }

  /// Notes that the device asks for the lifetime in its Expires.
  void asked(SipRequest request) {
    require(nowMs >= silentUntilMs, "asks too soon by " + (silentUntilMs - nowMs) + " ms");
    askedMs = 1000 * Long.parseLong(request.headers().require("Expires"));
    lastMs = nowMs;
  }

  /// Notes that a refusal ends the attempt, and that the server must not be asked before its
  /// Retry-After.
  void refused(SipResponse response) {
    silentUntilMs = nowMs + silenceMs(response);
  }

  /// Advances the clock.
  ///
  /// @param phase of the device: it may wait for an answer only after a request, and it must ask
  ///   again before the requested lifetime is over
  /// @throws AssertionError if a rule was broken
  void step(Phase phase) {
    if (phase == Phase.TRYING && !isAsked()) {
      throw new AssertionError("an answer has got lost");
    }
    if (nowMs > Math.max(silentUntilMs + STEP_MS, lastMs + Math.max(askedMs, PAUSE_MS_MAX))) {
      throw new AssertionError("asked " + (nowMs - lastMs) + " ms ago, for " + askedMs + " ms");
    }
    nowMs += STEP_MS;
  }

  /// Checks a rule. A future would swallow an exception, so the first broken rule is kept and
  /// [#drain] throws it.
  void require(boolean holds, String rule) {
    if (!holds && breach.isEmpty()) {
      breach = rule;
    }
  }

  void requireWords(String words) {
    require(
        words.length() <= WORDS_MAX && words.chars().noneMatch(Character::isISOControl),
        "not fit for a log and a terminal: " + words);
  }

  /// Returns true if the device continues by itself after this answer, with credentials.
  static boolean isChallenge(SipResponse response) {
    return response.status() == 401 || response.status() == 407;
  }

  /// Returns a response for a seed; answers are matched to requests by their order alone.
  static String response(String start, String method, String more) {
    return """
    SIP/2.0 %s
    v:SIP/2.0/UDP a
    f:sip:a@b
    t:sip:a@b;tag=1
    i:a
    CSeq:1 %s
    l:0
    %s
    """
        .formatted(start, method, more);
  }

  /// Returns the server's Retry-After in milliseconds, at most ten minutes (RFC 3261 section
  /// 20.33).
  private static long silenceMs(SipResponse response) {
    String text = response.headers().first("Retry-After").orElse("");
    String digits = text.split("[;(]", 2)[0].strip();
    return digits.matches("[0-9]+")
        ? 1000 * new BigInteger(digits).min(TEN_MINUTES).longValue()
        : 0;
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark) {
    SipRequest whole = request.withHeaders(request.headers().withFirst("Via", VIA));
    try {
      Arrival.requireSound(whole);
    } catch (AssertionError e) {
      require(false, e.getMessage());
    }
    CompletableFuture<SipResponse> answer = new CompletableFuture<>();
    try {
      ParserProbe.parseToSend(whole);
    } catch (ParseException e) {
      answer.completeExceptionally(new SipException(SipException.Reason.INVALID, "not sent"));
      return answer;
    }
    waiting.add(answer);
    onSent.accept(request);
    return answer;
  }

  /// Answers the oldest waiting request, if there is one.
  void answer(SipResponse response) {
    CompletableFuture<SipResponse> first = waiting.poll();
    if (first != null) {
      first.complete(response);
    }
  }

  boolean isAsked() {
    return !waiting.isEmpty();
  }

  /// Runs the waiting tasks.
  ///
  /// @throws AssertionError if a rule was broken
  void drain() {
    while (breach.isEmpty() && !owner.isEmpty()) {
      owner.remove().run();
    }
    if (!breach.isEmpty()) {
      throw new AssertionError(breach);
    }
  }

  @Override
  public InviteBranch invite(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    throw new UnsupportedOperationException("a user agent makes no calls");
  }

  @Override
  public void sendAck(SipRequest ack, SipFlow target) {
    throw new UnsupportedOperationException("a user agent makes no calls");
  }

  @Override
  public CompletableFuture<StunMessage.Success> keepAlive(SipFlow target) {
    return CompletableFuture.failedFuture(
        new SipException(SipException.Reason.TIMEOUT, "this peer does not know STUN"));
  }

  @Override
  public HostPort sentBy(SipFlow target) {
    return new HostPort("192.0.2.7", 5060);
  }

  @Override
  public boolean isConnected(SipFlow target) {
    return true;
  }

  @Override
  public void disconnect(SipFlow target) {}
}
