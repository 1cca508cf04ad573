package io.viaduct.sip.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.aka.SimulatedCard;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// AKA as a server does it, against a simulated card. Alice has a card only, carol a card and a
/// password, bob a password only.
class AkaDigestTest {
  private static final InetAddress HOME = InetAddress.ofLiteral("192.0.2.1");
  private static final AkaKeys KEYS = keys("465b5ce8b199b49faa5f0a2ee238a6bc");

  private Instant now = Instant.parse("2026-06-01T00:00:00Z");
  private final DigestServer server =
      new DigestServer(
          "ims.test",
          new AlgorithmOffer(List.of(DigestAlgorithm.values()), List.of()),
          Duration.ofMinutes(5),
          100,
          new Users(),
          () -> now);
  private final SimulatedCard card = new SimulatedCard(KEYS, 0);
  private int nc;

  private static AkaKeys keys(String k) {
    HexFormat hex = HexFormat.of();
    return AkaKeys.ofOp(
        hex.parseHex(k), hex.parseHex("cdc202d5123e20f62b6d676ac72cb318"), new byte[2]);
  }

  private static final class Users implements CredentialStore {
    @Override
    public Optional<String> ha1(String user, DigestAlgorithm algorithm) {
      return List.of("bob", "carol").contains(user) && !algorithm.isAka()
          ? Optional.of(algorithm.ha1(user, "ims.test", "secret"))
          : Optional.empty();
    }

    @Override
    public Optional<AkaKeys> aka(String user) {
      return List.of("alice", "carol").contains(user) ? Optional.of(KEYS) : Optional.empty();
    }
  }

  private static SipRequest register(String more) {
    return new SipRequest(
        "REGISTER",
        "sip:ims.test",
        SipHeaders.NONE.with("Call-ID", "1").with("Allow", "X".repeat(1000) + more));
  }

  private DigestOutcome check(SipRequest request, String claimed) {
    return server.check(request, "Authorization", HOME, claimed, _ -> true);
  }

  private List<String> challenges(String claimed) {
    return ((DigestOutcome.Refused) check(register(""), claimed)).challenges();
  }

  private String nonce(DigestAlgorithm algorithm) {
    return challenges("alice").stream()
        .map(value -> DigestChallenge.parse(value).orElseThrow())
        .filter(challenge -> challenge.algorithm() == algorithm)
        .findFirst()
        .orElseThrow()
        .nonce();
  }

  private SipRequest answered(
      SimulatedCard by, DigestAlgorithm algorithm, String username, String nonce) {
    SimulatedCard.Answer answer =
        by.answer(Base64.getDecoder().decode(nonce), algorithm == DigestAlgorithm.AKAV2_MD5);
    return credentials(algorithm, username, nonce, answer);
  }

  private SipRequest credentials(
      DigestAlgorithm algorithm, String username, String nonce, SimulatedCard.Answer answer) {
    DigestCredentials open =
        new DigestCredentials(
            algorithm,
            username,
            "ims.test",
            nonce,
            "sip:ims.test",
            "auth",
            "%08x".formatted(++nc),
            "c",
            "",
            Base64.getEncoder().encodeToString(answer.auts()));
    String ha1 = algorithm.ha1(username, "ims.test", answer.password());
    return register("")
        .with("Authorization", open.withResponse(open.expectedResponse(ha1, "REGISTER")).encode());
  }

  private DigestRefusal reason(SipRequest request) {
    return ((DigestOutcome.Refused) check(request, "alice")).reason();
  }

  @ParameterizedTest
  @EnumSource(
      value = DigestAlgorithm.class,
      names = {"AKAV1_MD5", "AKAV2_MD5"})
  void aCardAuthenticatesByItsUserAndByItsPrivateIdentity(DigestAlgorithm algorithm) {
    String nonce = nonce(algorithm);
    SipRequest first = answered(card, algorithm, "alice", nonce);
    assertThat(check(first, "alice")).isEqualTo(new DigestOutcome.Authenticated("alice"));
    assertThat(reason(first)).isEqualTo(DigestRefusal.REPLAYED);
    now = now.plusSeconds(1);
    assertThat(check(answered(card, algorithm, "alice@ims.test", nonce(algorithm)), "alice"))
        .isEqualTo(new DigestOutcome.Authenticated("alice"));
  }

  @Test
  void theSameAnswerServesLaterRequestsUntilTheNonceIsStale() {
    String nonce = nonce(DigestAlgorithm.AKAV1_MD5);
    SimulatedCard.Answer answer = card.answer(Base64.getDecoder().decode(nonce), false);
    for (int i = 0; i < 3; i++) {
      assertThat(check(credentials(DigestAlgorithm.AKAV1_MD5, "alice", nonce, answer), "alice"))
          .isInstanceOf(DigestOutcome.Authenticated.class);
    }
    now = now.plus(Duration.ofMinutes(6));
    assertThat(reason(credentials(DigestAlgorithm.AKAV1_MD5, "alice", nonce, answer)))
        .isEqualTo(DigestRefusal.STALE_NONCE);
  }

  @Test
  void aCardThatIsAheadResynchronisesAndThenAuthenticates() {
    SimulatedCard ahead = new SimulatedCard(KEYS, 1L << 40);
    SipRequest refused =
        answered(ahead, DigestAlgorithm.AKAV2_MD5, "alice", nonce(DigestAlgorithm.AKAV2_MD5));
    assertThat(reason(refused)).isEqualTo(DigestRefusal.RESYNCHRONISED);
    assertThat(reason(refused)).isEqualTo(DigestRefusal.RESYNCHRONISED);
    assertThat(
            check(
                answered(
                    ahead, DigestAlgorithm.AKAV2_MD5, "alice", nonce(DigestAlgorithm.AKAV2_MD5)),
                "alice"))
        .isInstanceOf(DigestOutcome.Authenticated.class);
    assertThat(ahead.highest()).isEqualTo((1L << 40) + 1);
  }

  @Test
  void aSequenceNumberWithoutTheCardsProofChangesNothing() {
    SimulatedCard foreign = new SimulatedCard(keys("00".repeat(16)), 1L << 40);
    String nonce = nonce(DigestAlgorithm.AKAV1_MD5);
    byte[] auts = new byte[14];
    SipRequest forged =
        credentials(
            DigestAlgorithm.AKAV1_MD5, "alice", nonce, new SimulatedCard.Answer(new byte[0], auts));
    assertThat(reason(forged)).isEqualTo(DigestRefusal.WRONG_PASSWORD);
    assertThat(foreign.highest()).isEqualTo(1L << 40);
    assertThat(check(answered(card, DigestAlgorithm.AKAV1_MD5, "alice", nonce), "alice"))
        .isInstanceOf(DigestOutcome.Authenticated.class);
  }

  @Test
  void anAnswerOfAnotherCardOrToAForgedNonceAuthenticatesNobody() {
    String nonce = nonce(DigestAlgorithm.AKAV1_MD5);
    assertThat(
            reason(
                credentials(
                    DigestAlgorithm.AKAV1_MD5,
                    "alice",
                    nonce,
                    new SimulatedCard.Answer(new byte[8], new byte[0]))))
        .isEqualTo(DigestRefusal.WRONG_PASSWORD);
    byte[] forged = Base64.getDecoder().decode(nonce);
    forged[0] ^= 1;
    SimulatedCard.Answer answer = card.answer(Base64.getDecoder().decode(nonce), false);
    assertThat(
            reason(
                credentials(
                    DigestAlgorithm.AKAV1_MD5,
                    "alice",
                    Base64.getEncoder().encodeToString(forged),
                    answer)))
        .isEqualTo(DigestRefusal.FORGED_NONCE);
    assertThat(reason(credentials(DigestAlgorithm.AKAV1_MD5, "bob", nonce, answer)))
        .isEqualTo(DigestRefusal.UNKNOWN_USER);
  }

  @Test
  void aUserIsOfferedOnlyWhatTheUserHasCredentialsFor() {
    assertThat(challenges("alice"))
        .extracting(AkaDigestTest::algorithm)
        .containsExactly("AKAv2-MD5", "AKAv1-MD5");
    assertThat(challenges("carol"))
        .extracting(AkaDigestTest::algorithm)
        .containsExactly("AKAv2-MD5", "AKAv1-MD5", "SHA-256", "MD5");
    for (String other : List.of("bob", "nobody", "")) {
      assertThat(challenges(other))
          .extracting(AkaDigestTest::algorithm)
          .containsExactly("SHA-256", "MD5");
    }
  }

  private static String algorithm(String challenge) {
    return FieldText.parameters(challenge.substring(7), ',').getOrDefault("algorithm", "");
  }
}
