package io.viaduct.sip.useragent;

import io.viaduct.sip.Arrival;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipEndpointSettings;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.jain.ParserProbe;
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

/// The network and the thread of a user agent, for fuzz targets: requests wait for an answer until
/// [#answer], what is to be done on the owner's thread waits for [#drain].
final class ScriptedPeer implements RequestSender {
  static final SipFlow FLOW = new SipFlow(Transport.UDP, new InetSocketAddress("192.0.2.1", 5060));

  /// Short times, so that 15 s show whether something is renewed.
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
          Set.of(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5),
          SipEndpointSettings.client(new InetSocketAddress(0)));

  private static final String VIA = "SIP/2.0/UDP 192.0.2.7:5060;branch=z9hG4bKx;rport";
  private static final BigInteger TEN_MINUTES = BigInteger.valueOf(600);
  private static final int WORDS_MAX = 400;

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

  ScriptedPeer(Consumer<SipRequest> onSent) {
    this.onSent = onSent;
  }

  /// Checks a rule. A future would swallow what is thrown on its way: the first breach is kept, and
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

  /// Whether the device goes on by itself after this answer, with credentials.
  static boolean isChallenge(SipResponse response) {
    return response.status() == 401 || response.status() == 407;
  }

  /// How long the server wants to be left alone, at most ten minutes of it (RFC 3261 section
  /// 20.33).
  static long silenceMs(SipResponse response) {
    String text = response.headers().first("Retry-After").orElse("");
    String digits = text.split("[;(]", 2)[0].strip();
    return digits.matches("[0-9]+")
        ? 1000 * new BigInteger(digits).min(TEN_MINUTES).longValue()
        : 0;
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target) {
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

  /// Answers the request that has waited longest, if there is one.
  void answer(SipResponse response) {
    CompletableFuture<SipResponse> first = waiting.poll();
    if (first != null) {
      first.complete(response);
    }
  }

  boolean isAsked() {
    return !waiting.isEmpty();
  }

  /// Does what is to be done.
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
  public HostPort sentBy(SipFlow target) {
    return new HostPort("192.0.2.7", 5060);
  }

  @Override
  public boolean stands(SipFlow target) {
    return true;
  }

  @Override
  public void disconnect(SipFlow target) {}
}
