package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ProvisioningStub;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.aka.SimulatedCard;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestChallenge;
import io.viaduct.sip.digest.DigestCredentials;
import io.viaduct.usage.v1.Card;
import io.viaduct.usage.v1.Subscriber;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A phone with a card registers over a real socket; billing has sent the keys of the card.
@Timeout(120)
class AkaRegistrationTest {
  private static final AkaKeys KEYS =
      AkaKeys.ofOp(
          "a subscriber key".getBytes(StandardCharsets.US_ASCII),
          "operator variant".getBytes(StandardCharsets.US_ASCII),
          new byte[2]);

  @TempDir Path directory;
  private BridgeRig rig;
  private SipProbe probe;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "");
    rig.users.put(withCard(Subscriber.newBuilder().setAccount("dora").build()));
    rig.users.put(withCard(ProvisioningStub.user("erin", "erin-secret")));
    await().until(() -> rig.bridge.subscribers().isActive("erin"));
    probe = new SipProbe("127.0.0.1", rig.bridge.sipPort());
  }

  @AfterEach
  void stop() throws Exception {
    probe.close();
    rig.close();
  }

  private static Subscriber withCard(Subscriber user) {
    return user.toBuilder()
        .setCard(
            Card.newBuilder()
                .setK(ByteString.copyFrom(KEYS.k()))
                .setOpc(ByteString.copyFrom(KEYS.opc()))
                .setAmf(ByteString.copyFrom(KEYS.amf())))
        .build();
  }

  /// Returns a REGISTER as long as that of a phone with a card: a shorter one gets fewer
  /// challenges.
  private SipRequest register(String user) {
    return probe
        .register(user)
        .with("Allow", "INVITE, ACK, BYE, CANCEL, MESSAGE, NOTIFY, UPDATE, PRACK, REFER, INFO")
        .with("P-Access-Network-Info", "3GPP-E-UTRAN-FDD;utran-cell-id-3gpp=2310100010000001")
        .with("Supported", "path, outbound, gruu");
  }

  private List<DigestAlgorithm> offered(String user) throws Exception {
    return probe.ask(register(user)).headers().all("WWW-Authenticate").stream()
        .map(value -> DigestChallenge.parse(value).orElseThrow().algorithm())
        .toList();
  }

  private SipResponse answer(SimulatedCard card, DigestAlgorithm algorithm, String user)
      throws Exception {
    String nonce =
        probe.ask(register(user)).headers().all("WWW-Authenticate").stream()
            .map(value -> DigestChallenge.parse(value).orElseThrow())
            .filter(challenge -> challenge.algorithm() == algorithm)
            .findFirst()
            .orElseThrow()
            .nonce();
    SimulatedCard.Answer said =
        card.answer(Base64.getDecoder().decode(nonce), algorithm == DigestAlgorithm.AKAV2_MD5);
    SipRequest request = register(user);
    String username = user + "@ims.test"; // a private identity, as a card has it
    DigestCredentials open =
        new DigestCredentials(
            algorithm,
            username,
            "ims.test",
            nonce,
            request.uri(),
            "auth",
            "00000001",
            "c",
            "",
            Base64.getEncoder().encodeToString(said.auts()));
    String ha1 = algorithm.ha1(username, "ims.test", said.password());
    return probe.ask(
        request.with(
            "Authorization", open.withResponse(open.expectedResponse(ha1, "REGISTER")).encode()));
  }

  @Test
  void aPhoneRegistersByItsCardInBothVersionsOfAka() throws Exception {
    assertThat(offered("dora"))
        .as("most phones know version 1 only, and some read one challenge only")
        .containsExactly(DigestAlgorithm.AKAV1_MD5, DigestAlgorithm.AKAV2_MD5);
    assertThat(offered("alice")).noneMatch(DigestAlgorithm::isAka);
    SimulatedCard card = new SimulatedCard(KEYS, 0);
    assertThat(answer(card, DigestAlgorithm.AKAV1_MD5, "dora").status()).isEqualTo(200);
    assertThat(answer(card, DigestAlgorithm.AKAV2_MD5, "dora").status()).isEqualTo(200);
    assertThat(rig.bridge.locations().bindings("dora", rig.clock.instant())).hasSize(1);
  }

  /// The source of a request may be forged, so its answer may not be much longer.
  @ParameterizedTest
  @CsvSource({"dora, 2", "erin, 4"})
  void aShortRequestGetsFewerChallengesSoTheAnswerIsAtMostTwiceAsLong(String user, int all)
      throws Exception {
    String register =
        """
        REGISTER sip:ims.test SIP/2.0
        v: SIP/2.0/UDP 10.0.0.1;rport;branch=z9hG4bK%d
        f: <sip:%s@ims.test>;tag=1
        t: <sip:%s@ims.test>
        i: 1@10.0.0.1
        CSeq: %d REGISTER
        Max-Forwards: 70
        m: <sip:%s@10.0.0.1>
        User-Agent: %s
        l: 0

        """;
    List<Integer> challenges = new ArrayList<>();
    for (int more = 1; more < 1000; more += 30) {
      byte[] request =
          register
              .formatted(more, user, user, more, user, "x".repeat(more))
              .replace("\n", "\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      byte[] answer = probe.ask(request);
      String text = new String(answer, StandardCharsets.US_ASCII);
      assertThat((double) answer.length / request.length)
          .as("%d bytes for %d: %s", answer.length, request.length, text)
          .isLessThanOrEqualTo(2.0);
      challenges.add(text.split("WWW-Authenticate: ", -1).length - 1);
    }
    assertThat(challenges).startsWith(1).endsWith(all).isSorted();
  }

  @Test
  void aCardThatIsAheadResynchronisesAndThenRegisters() throws Exception {
    SimulatedCard ahead = new SimulatedCard(KEYS, 1L << 40);
    assertThat(answer(ahead, DigestAlgorithm.AKAV2_MD5, "dora").status()).isEqualTo(401);
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "resynchronised"))
        .isEqualTo(1);
    assertThat(answer(ahead, DigestAlgorithm.AKAV2_MD5, "dora").status()).isEqualTo(200);
  }

  @Test
  void theCopyOnDiskHasNoKeyOfACard() throws Exception {
    rig.bridge.close();
    byte[] copy = Files.readAllBytes(directory.resolve("state/subscribers"));
    String text = new String(copy, StandardCharsets.ISO_8859_1);
    assertThat(text).contains("dora").contains("erin").doesNotContain("a subscriber key");
  }
}
