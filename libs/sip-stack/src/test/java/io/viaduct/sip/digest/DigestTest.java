package io.viaduct.sip.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestTest {
  private static final InetAddress HOME = address("192.0.2.1");
  private static final InetAddress ELSEWHERE = address("192.0.2.2");

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final DigestServer server = server(List.of(DigestAlgorithm.values()), 100);

  private static InetAddress address(String literal) {
    return InetAddress.ofLiteral(literal);
  }

  private DigestServer server(List<DigestAlgorithm> offered, int nonces) {
    return server(new AlgorithmOffer(offered, List.of()), nonces);
  }

  private DigestServer server(AlgorithmOffer offer, int nonces) {
    return new DigestServer(
        "ims.test",
        offer,
        Duration.ofMinutes(5),
        nonces,
        (user, algorithm) ->
            user.equals("alice")
                ? Optional.of(algorithm.ha1("alice", "ims.test", "secret"))
                : Optional.empty(),
        () -> now);
  }

  private static SipRequest register(String uri) {
    return new SipRequest(
        "REGISTER",
        uri,
        SipHeaders.NONE
            .with("Via", "SIP/2.0/UDP h;branch=z9hG4bK1")
            .with("From", "<sip:alice@ims.test>;tag=1")
            .with("To", "<sip:alice@ims.test>")
            .with("Call-ID", "1")
            .with("CSeq", "1 REGISTER")
            .with("Allow", "X".repeat(200)));
  }

  private static DigestClient client(String user, String password) {
    return new DigestClient(user, password, EnumSet.allOf(DigestAlgorithm.class));
  }

  private SipResponse challenge(DigestServer of) {
    SipRequest request = register("sip:ims.test");
    SipResponse response = SipResponse.to(request, 401);
    for (String value : refused(of, request).challenges()) {
      response = response.with("WWW-Authenticate", value);
    }
    return response;
  }

  private static DigestOutcome.Refused refused(DigestServer of, SipRequest request) {
    return (DigestOutcome.Refused) of.check(request, "Authorization", HOME, "alice", _ -> true);
  }

  private DigestRefusal reason(SipRequest request) {
    return refused(server, request).reason();
  }

  /// RFC 7616 section 3.9.1: user Mufasa, password "Circle of Life".
  @ParameterizedTest
  @CsvSource({
    "MD5,     8ca523f5e9506fed4657c9700eebdbec",
    "SHA_256, 753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
  })
  void theResponsesAreThoseOfTheStandard(DigestAlgorithm algorithm, String response) {
    DigestCredentials credentials =
        new DigestCredentials(
            algorithm,
            "Mufasa",
            "http-auth@example.org",
            "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
            "/dir/index.html",
            "auth",
            "00000001",
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "");
    String ha1 = algorithm.ha1("Mufasa", "http-auth@example.org", "Circle of Life");
    assertThat(credentials.expectedResponse(ha1, "GET")).isEqualTo(response);
  }

  @Test
  void aHeaderOfTheStandardIsReadWithItsQuotesAndCommas() {
    DigestCredentials read =
        DigestCredentials.parse(
            "Digest username=\"Mu\\\"fasa\", realm=\"a, b\", uri=\"/x\", algorithm=SHA-256,"
                + " nonce=\"n\", nc=00000001, cnonce=\"c\", qop=auth, response=\"75\"");
    assertThat(read.username()).isEqualTo("Mu\"fasa");
    assertThat(read.realm()).isEqualTo("a, b");
    assertThat(DigestCredentials.parse(read.encode())).isEqualTo(read);
  }

  @Test
  void sha256IsOfferedFirstAndTakenByTheClient() {
    List<String> challenges = refused(server, register("sip:ims.test")).challenges();
    assertThat(challenges).hasSize(2);
    assertThat(challenges.get(0)).contains("SHA-256").contains("qop=\"auth\"");
    assertThat(challenges.get(1)).contains("MD5");
    DigestClient alice = client("alice", "secret");
    assertThat(alice.acceptChallenge(challenge(server))).isTrue();
    SipRequest answered = alice.authorize(register("sip:ims.test"));
    assertThat(answered.headers().require("Authorization")).contains("algorithm=SHA-256");
    assertThat(server.check(answered, "Authorization", HOME, "alice", _ -> true))
        .isEqualTo(new DigestOutcome.Authenticated("alice"));
  }

  @Test
  void aClientThatDoesNotAcceptMd5CannotBeTalkedIntoIt() {
    DigestClient strict = new DigestClient("alice", "secret", Set.of(DigestAlgorithm.SHA_256));
    assertThat(strict.acceptChallenge(challenge(server(List.of(DigestAlgorithm.MD5), 10))))
        .isFalse();
    SipRequest request = register("sip:ims.test");
    assertThat(strict.authorize(request)).isEqualTo(request);
  }

  @Test
  void aNonceServesManyRequestsButEachCountOnce() {
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(server));
    SipRequest first = alice.authorize(register("sip:ims.test"));
    SipRequest second = alice.authorize(register("sip:ims.test"));
    assertThat(server.check(second, "Authorization", HOME, "alice", _ -> true))
        .isInstanceOf(DigestOutcome.Authenticated.class);
    assertThat(server.check(first, "Authorization", HOME, "alice", _ -> true))
        .as("overtaken on the way")
        .isInstanceOf(DigestOutcome.Authenticated.class);
    assertThat(reason(first)).isEqualTo(DigestRefusal.REPLAYED);
    assertThat(refused(server, second).challenges().getFirst()).contains("stale=true");
  }

  private DigestServer sharing(int id, NonceIssuer.Others others) {
    return new DigestServer(
        "ims.test",
        new AlgorithmOffer(List.of(DigestAlgorithm.SHA_256), List.of()),
        Duration.ofMinutes(5),
        100,
        (user, algorithm) -> Optional.of(algorithm.ha1(user, "ims.test", "secret")),
        new NonceIssuer(new byte[32], id, others),
        () -> now);
  }

  @Test
  void serversWithOneKeyTakeEachOthersNoncesAndTheIssuerCounts() {
    DigestServer issuer = sharing(1, (_, _, _, _) -> Optional.empty());
    DigestServer other =
        sharing(
            2,
            (id, nonce, issuedMs, count) ->
                id == 1 ? Optional.of(issuer.use(nonce, issuedMs, count)) : Optional.empty());
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(issuer));
    SipRequest first = alice.authorize(register("sip:ims.test"));
    assertThat(other.check(first, "Authorization", HOME, "alice", _ -> true))
        .isEqualTo(new DigestOutcome.Authenticated("alice"));
    assertThat(refused(other, first).reason()).isEqualTo(DigestRefusal.REPLAYED);
    assertThat(refused(issuer, first).reason()).isEqualTo(DigestRefusal.REPLAYED);
    now = now.plus(Duration.ofMinutes(6));
    assertThat(issuer.use("late", now.minus(Duration.ofMinutes(6)).toEpochMilli(), 1)).isFalse();
  }

  @Test
  void aNonceWhoseIssuerDoesNotAnswerIsStale() {
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(sharing(1, (_, _, _, _) -> Optional.empty())));
    DigestServer other = sharing(2, (_, _, _, _) -> Optional.empty());
    DigestOutcome.Refused refused = refused(other, alice.authorize(register("sip:ims.test")));
    assertThat(refused.reason()).isEqualTo(DigestRefusal.ISSUER_AWAY);
    assertThat(refused.challenges().getFirst()).contains("stale=true");
    assertThat(alice.acceptChallenge(challenge(other))).isTrue();
    SipRequest again = alice.authorize(register("sip:ims.test"));
    assertThat(other.check(again, "Authorization", HOME, "alice", _ -> true))
        .isEqualTo(new DigestOutcome.Authenticated("alice"));
  }

  @Test
  void aNonceOfAnEarlierRunIsNotTakenBecauseItsCountsAreLost() {
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(sharing(1, (_, _, _, _) -> Optional.empty())));
    SipRequest used = alice.authorize(register("sip:ims.test"));
    now = now.plusSeconds(1);
    DigestServer restarted = sharing(1, (_, _, _, _) -> Optional.empty());
    assertThat(refused(restarted, used).reason()).isEqualTo(DigestRefusal.REPLAYED);
  }

  @Test
  void anOldNonceIsStaleAndAForeignOneForged() {
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(server));
    now = now.plus(Duration.ofMinutes(6));
    SipRequest late = alice.authorize(register("sip:ims.test"));
    assertThat(reason(late)).isEqualTo(DigestRefusal.STALE_NONCE);
    alice.acceptChallenge(challenge(server(List.of(DigestAlgorithm.SHA_256), 10)));
    SipRequest foreign = alice.authorize(register("sip:ims.test"));
    assertThat(reason(foreign)).isEqualTo(DigestRefusal.FORGED_NONCE);
    assertThat(refused(server, foreign).challenges().getFirst()).contains("stale=true");
  }

  @Test
  void anotherSpellingOfANonceIsForged() {
    String nonce = Nonce.issue(new byte[32], HOME, now.toEpochMilli(), 42).encoded();
    assertThat(nonce).hasSize(32);
    assertThat(Nonce.recognise(new byte[32], HOME, nonce)).isPresent();
    assertThat(Nonce.recognise(new byte[32], HOME, nonce + "=")).isEmpty();
    assertThat(Nonce.recognise(new byte[32], HOME, nonce + "A")).isEmpty();
  }

  @Test
  void aNonceKnowsWhenItWasIssuedAndIsGoodAtItsSourceOnly() {
    Nonce issued = Nonce.issue(new byte[32], HOME, now.toEpochMilli(), -1);
    assertThat(Nonce.recognise(new byte[32], HOME, issued.encoded())).contains(issued);
    assertThat(Nonce.recognise(new byte[32], ELSEWHERE, issued.encoded())).isEmpty();
    assertThat(Nonce.recognise(new byte[32], address("2001:db8::1"), issued.encoded())).isEmpty();
  }

  /// Otherwise a forged source could use up a user's attempts.
  @Test
  void aPasswordIsNotJudgedOverANonceOfAnotherSourceWhetherItIsRightOrWrong() {
    for (String password : List.of("secret", "guess")) {
      DigestClient client = client("alice", password);
      client.acceptChallenge(challenge(server));
      List<String> asked = new ArrayList<>();
      DigestOutcome outcome =
          server.check(
              client.authorize(register("sip:ims.test")),
              "Authorization",
              ELSEWHERE,
              "alice",
              asked::add);
      assertThat(outcome)
          .isInstanceOfSatisfying(
              DigestOutcome.Refused.class,
              refused -> {
                assertThat(refused.reason()).isEqualTo(DigestRefusal.FORGED_NONCE);
                assertThat(refused.challenges().getFirst()).contains("stale=true");
              });
      assertThat(asked).isEmpty();
    }
  }

  @Test
  void anOldNonceGivesNoAnswerAboutThePassword() {
    DigestClient guess = client("alice", "guess");
    guess.acceptChallenge(challenge(server));
    now = now.plus(Duration.ofMinutes(6));
    assertThat(reason(guess.authorize(register("sip:ims.test"))))
        .isEqualTo(DigestRefusal.STALE_NONCE);
  }

  @Test
  void aUserThatIsNotAdmittedIsRefusedWithTheRightAndWithAWrongPassword() {
    for (String password : List.of("secret", "guess")) {
      DigestClient client = client("alice", password);
      client.acceptChallenge(challenge(server));
      assertThat(
              server.check(
                  client.authorize(register("sip:ims.test")),
                  "Authorization",
                  HOME,
                  "alice",
                  _ -> false))
          .isInstanceOfSatisfying(
              DigestOutcome.Refused.class,
              refused -> assertThat(refused.reason()).isEqualTo(DigestRefusal.NOT_ADMITTED));
    }
  }

  @Test
  void wrongPasswordUserMethodAndUriAreEachTheirOwnReason() {
    DigestClient guess = client("alice", "guess");
    guess.acceptChallenge(challenge(server));
    SipRequest guessed = guess.authorize(register("sip:ims.test"));
    assertThat(reason(guessed)).isEqualTo(DigestRefusal.WRONG_PASSWORD);
    assertThat(refused(server, guessed).challenges().getFirst()).doesNotContain("stale");
    DigestClient eve = client("eve", "secret");
    eve.acceptChallenge(challenge(server));
    assertThat(reason(eve.authorize(register("sip:ims.test"))))
        .isEqualTo(DigestRefusal.UNKNOWN_USER);
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(server));
    SipRequest good = alice.authorize(register("sip:ims.test"));
    assertThat(reason(new SipRequest("REGISTER", "sip:other.test", good.headers())))
        .isEqualTo(DigestRefusal.WRONG_URI);
    assertThat(reason(new SipRequest("SUBSCRIBE", good.uri(), good.headers())))
        .isEqualTo(DigestRefusal.WRONG_PASSWORD);
    assertThat(server.check(good, "Authorization", HOME, "alice", _ -> true))
        .as("the attempts have not used up the count")
        .isInstanceOf(DigestOutcome.Authenticated.class);
  }

  @Test
  void rubbishIsMalformedAndNothingIsMissing() {
    assertThat(reason(register("sip:ims.test"))).isEqualTo(DigestRefusal.MISSING);
    for (String value :
        List.of("Basic YTpi", "Digest", "Digest username=\"alice\"", "Digest algorithm=SHA-999")) {
      assertThat(reason(register("sip:ims.test").with("Authorization", value)))
          .as(value)
          .isEqualTo(DigestRefusal.MALFORMED);
    }
    assertThat(
            reason(
                register("sip:ims.test")
                    .with(
                        "Authorization",
                        "Digest username=\"alice\", realm=\"ims.test\", nonce=\"x\","
                            + " uri=\"sip:ims.test\", response=\"0\"")))
        .isEqualTo(DigestRefusal.NOT_OFFERED);
  }

  @Test
  void forgettingANonceNeverReopensAReplay() {
    DigestServer small = server(List.of(DigestAlgorithm.SHA_256), 2);
    DigestClient alice = client("alice", "secret");
    alice.acceptChallenge(challenge(small));
    SipRequest first = alice.authorize(register("sip:ims.test"));
    assertThat(small.check(first, "Authorization", HOME, "alice", _ -> true))
        .isInstanceOf(DigestOutcome.Authenticated.class);
    for (int i = 0; i < 5; i++) {
      now = now.plusMillis(1);
      DigestClient other = client("alice", "secret");
      other.acceptChallenge(challenge(small));
      assertThat(
              small.check(
                  other.authorize(register("sip:ims.test")),
                  "Authorization",
                  HOME,
                  "alice",
                  _ -> true))
          .isInstanceOf(DigestOutcome.Authenticated.class);
    }
    assertThat(refused(small, first).reason()).isEqualTo(DigestRefusal.REPLAYED);
  }

  @Test
  void eachAlgorithmIsAChallengeOfItsOwnThePreferredFirstAndItsNameIsNotQuoted() {
    assertThat(refused(server, register("sip:ims.test")).challenges())
        .satisfiesExactly(
            first -> assertThat(first).contains(", algorithm=SHA-256, "),
            second -> assertThat(second).contains(", algorithm=MD5, "));
  }

  @ParameterizedTest
  @CsvSource({
    "phone 1.0,         SHA-256 MD5",
    "old phone 1.0,     SHA-256 MD5",
    "OLD 3,             MD5",
    "Reversed/2 (x86),  MD5 SHA-256",
    "'',                MD5 SHA-256"
  })
  void aFamilyOfClientsThatGivesUpOnTheUsualListGetsItsOwn(String userAgent, String algorithms) {
    List<DigestAlgorithm> reversed = List.of(DigestAlgorithm.MD5, DigestAlgorithm.SHA_256);
    DigestServer lenient =
        server(
            new AlgorithmOffer(
                List.of(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5),
                List.of(
                    new AlgorithmOffer.Family("old 3", List.of(DigestAlgorithm.MD5)),
                    new AlgorithmOffer.Family("reversed", reversed),
                    new AlgorithmOffer.Family("", reversed))),
            100);
    SipRequest request = register("sip:ims.test");
    assertThat(
            offered(
                refused(
                    lenient,
                    userAgent.isEmpty() ? request : request.with("User-Agent", userAgent))))
        .isEqualTo(algorithms);
  }

  @Test
  void noNameOfAClientBringsAnAlgorithmBackThatTheOperatorHasDropped() {
    DigestServer strict =
        server(
            new AlgorithmOffer(
                List.of(DigestAlgorithm.SHA_256),
                List.of(new AlgorithmOffer.Family("old", List.of(DigestAlgorithm.MD5)))),
            100);
    assertThat(offered(refused(strict, register("sip:ims.test").with("User-Agent", "old 1"))))
        .isEqualTo("SHA-256");
  }

  @Test
  void aRequestThatIsShorterThanAnyUserAgentsGetsTheFirstChallengeAlone() {
    SipRequest whole = register("sip:ims.test");
    assertThat(offered(refused(server, whole))).isEqualTo("SHA-256 MD5");
    SipRequest brief = whole.withHeaders(whole.headers().without("Allow"));
    assertThat(offered(refused(server, brief))).isEqualTo("SHA-256");
  }

  private static String offered(DigestOutcome.Refused refused) {
    return refused.challenges().stream()
        .map(value -> DigestChallenge.parse(value).orElseThrow().algorithm().token())
        .collect(java.util.stream.Collectors.joining(" "));
  }
}
