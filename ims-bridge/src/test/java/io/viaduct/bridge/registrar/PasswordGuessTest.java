package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Attackers guess passwords at the registrar, over real UDP sockets with different addresses.
@Timeout(120)
class PasswordGuessTest {
  private static final String USER = "127.0.0.1";
  private static final String ATTACKER = "127.0.0.66";

  @TempDir Path directory;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "");
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private SipProbe probe(String address) throws Exception {
    return new SipProbe(address, rig.bridge.sipPort());
  }

  private static DigestClient client(String user, String password) {
    return new DigestClient(user, password, EnumSet.allOf(DigestAlgorithm.class));
  }

  private boolean registers(String address) throws Exception {
    try (SipProbe probe = probe(address)) {
      DigestClient alice = client("alice", "alice-secret");
      probe.challenge(alice);
      return probe.ask(alice.authorize(probe.register("alice"))).isSuccess();
    }
  }

  @Test
  void guessesUnderAForeignToAreLimitedAndTheRightOneIsAnsweredLikeAWrongOne() throws Exception {
    List<List<String>> answers = new ArrayList<>();
    for (String password : List.of("bob-guess", "bob-secret")) {
      String address = password.equals("bob-guess") ? ATTACKER : "127.0.0.67";
      List<String> said = new ArrayList<>();
      try (SipProbe probe = probe(address)) {
        DigestClient bob = client("bob", password);
        probe.challenge(bob);
        for (int i = 0; i < 15; i++) {
          said.add(probe.ask(bob.authorize(probe.register("alice"))).startLine());
        }
      }
      answers.add(said);
    }
    assertThat(answers.getFirst())
        .isEqualTo(answers.getLast())
        .startsWith("SIP/2.0 403 Not Your Identity")
        .endsWith("SIP/2.0 403 Too Many Wrong Passwords");
    assertThat(answers.getFirst().stream().filter(line -> line.endsWith("Identity")).count())
        .isEqualTo(10);
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "wrong_password")).isZero();
    assertThat(rig.bridge.locations().size()).isZero();
  }

  @Test
  void oneSourceCannotGuessOnAsTheNextUser() throws Exception {
    int judged = 0;
    try (SipProbe probe = probe(ATTACKER)) {
      for (int i = 0; i < 100; i++) {
        String user = "user" + i;
        DigestClient guess = client(user, "guess");
        probe.challenge(guess);
        judged += probe.ask(guess.authorize(probe.register(user))).status() == 401 ? 1 : 0;
      }
    }
    assertThat(judged).isEqualTo(60);
    assertThat(registers(USER)).isTrue();
  }

  /// An attacker who forges a source address sees no answer to it, and so has no nonce for that
  /// address.
  @Test
  void requestsOfAForgedSourceLockNobodyOut() throws Exception {
    DigestClient guess = client("alice", "guess");
    try (SipProbe attacker = probe(ATTACKER);
        SipProbe forged = probe(USER)) {
      attacker.challenge(guess);
      for (int i = 0; i < 30; i++) {
        SipResponse answer = forged.ask(guess.authorize(forged.register("alice")));
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.headers().require("WWW-Authenticate")).contains("stale=true");
      }
    }
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "forged_nonce"))
        .isEqualTo(30);
    assertThat(registers(USER)).isTrue();
  }

  @Test
  void aRequestThatIsReplayedChangesNothingWhereverItComesFrom() throws Exception {
    try (SipProbe user = probe(USER);
        SipProbe same = probe(USER);
        SipProbe attacker = probe(ATTACKER)) {
      DigestClient alice = client("alice", "alice-secret");
      user.challenge(alice);
      SipRequest register = alice.authorize(user.register("alice"));
      assertThat(user.ask(register).status()).isEqualTo(200);
      var bindings = rig.bridge.locations().all(rig.clock.instant());
      assertThat(same.ask(register).status()).isEqualTo(401);
      assertThat(attacker.ask(register).status()).isEqualTo(401);
      assertThat(rig.bridge.locations().all(rig.clock.instant())).isEqualTo(bindings);
      assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "replayed")).isEqualTo(1);
      assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "forged_nonce"))
          .isEqualTo(1);
      assertThat(user.ask(alice.authorize(user.register("alice"))).status())
          .as("the user can still use the same nonce")
          .isEqualTo(200);
    }
  }

  @Test
  void parallelGuessesAreNotJudgedBeyondTheLimit() throws Exception {
    try (SipProbe probe = probe(ATTACKER)) {
      DigestClient guess = client("alice", "guess");
      probe.challenge(guess);
      try (var executor = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 64; i++) {
          byte[] request = guess.authorize(probe.register("alice")).encode();
          executor.submit(() -> probe.ask(request));
        }
      }
    }
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "wrong_password"))
        .isEqualTo(10);
  }

  /// A source may be forged, so no answer may be much longer than its request.
  @ParameterizedTest
  @CsvSource({
    "REGISTER,  sip:ims.test,       ''",
    "REGISTER,  sip:ims.test,       'User-Agent: x'",
    "REGISTER,  sip:ims.test,       'Supported: path'",
    "REGISTER,  sip:other.test,     ''",
    "REGISTER,  sip:ims.test,       'Require: path'",
    "MESSAGE,   sip:bob@ims.test,   ''",
    "SUBSCRIBE, sip:snapt@ims.test, 'o: snapt-session'",
    "OPTIONS,   sip:ims.test,       ''",
    "INVITE,    sip:bob@ims.test,   ''"
  })
  void theAnswerToTheShortestRequestIsAtMostTwiceAsLong(String method, String uri, String more)
      throws Exception {
    byte[] request =
        """
        %s %s SIP/2.0
        v: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK1
        f: <sip:al@ims.test>;tag=1
        t: <sip:al@ims.test>
        i: 1@10.0.0.1
        CSeq: 1 %s
        Max-Forwards: 70
        m: <sip:al@10.0.0.1>
        %sl: 0

        """
            .formatted(method, uri, method, more.isEmpty() ? "" : more + "\n")
            .replace("v: SIP/2.0/UDP 10.0.0.1;", "v: SIP/2.0/UDP 10.0.0.1;rport;")
            .replace("\n", "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    try (SipProbe probe = probe("127.200.200.200")) {
      byte[] answer = probe.ask(request);
      assertThat((double) answer.length / request.length)
          .as(
              "%d bytes for %d: %s",
              answer.length, request.length, new String(answer, StandardCharsets.UTF_8))
          .isLessThanOrEqualTo(2.0);
    }
  }
}
