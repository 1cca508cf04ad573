package io.viaduct.cnapt.signalling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BridgeWatchTest {
  private final BridgeWatch watch =
      new BridgeWatch(
          new SignallingSettings(
              "",
              5060,
              "udp",
              "ims.test",
              "alice",
              Optional.empty(),
              Duration.ofMinutes(10),
              Duration.ofHours(1),
              Duration.ofSeconds(30)));

  @Test
  void aBridgeThatDoesNotAnswerIsToldAfterThreeSecondsAndThenAtGrowingIntervals() {
    List<Long> toldAtSeconds = new ArrayList<>();
    for (long ms = 0; ms <= 1_000_000; ms += 500) {
      if (watch.look(ms, false, "").isPresent()) {
        toldAtSeconds.add(ms / 1000);
      }
    }
    assertThat(toldAtSeconds).containsExactly(3L, 13L, 43L, 133L, 403L, 703L);
  }

  @Test
  void theLineNamesTheBridgeTheTimeAndTheKeys() {
    watch.look(0, false, "");
    assertThat(watch.look(3_000, false, ""))
        .hasValueSatisfying(line ->
            assertThat(line)
                .contains(":5060 (udp) for 3 s", "no answer yet", "UDP port 5060")
                .contains("signalling.bridge", "signalling.port"));
  }

  @Test
  void aReasonIsToldAtOnceAndOnceAndItsEndToo() {
    assertThat(watch.look(0, false, "registration refused: 403 Forbidden")).isPresent();
    assertThat(watch.look(500, false, "registration refused: 403 Forbidden")).isEmpty();
    assertThat(watch.look(900, false, "registration refused: 404 Not Found")).isPresent();
    assertThat(watch.look(9_000, true, ""))
        .hasValueSatisfying(line -> assertThat(line).contains("answers again after 9 s"));
    assertThat(watch.look(9_500, true, "")).isEmpty();
  }

  @Test
  void aBridgeThatAnswersAtOnceIsNoLine() {
    assertThat(watch.look(0, false, "")).isEmpty();
    assertThat(watch.look(400, true, "")).isEmpty();
  }

  @Test
  void aRefusalThatGivesItsReasonStandsAlone() {
    for (String detail :
        List.of(
            "registration refused: 403 Account Suspended: account alice is suspended: ask your operator",
            "subscription: 403 Too Many Devices: account alice has its 8 devices: remove one")) {
      assertThat(watch.words(detail)).isEqualTo(detail);
    }
  }

  @Test
  void aRefusalNamesUserDomainAndTheKeyToLookAt() {
    assertThat(watch.words("registration refused: 401 Unauthorized"))
        .contains("user 'alice' of domain 'ims.test'", "signalling.password-file");
    assertThat(watch.words("registration refused: 404 Not Found"))
        .contains("signalling.domain", "signalling.user");
    assertThat(
            watch.words("registration refused: 404 Not Found: this server serves another domain"))
        .contains("signalling.domain", "signalling.user");
    assertThat(watch.words("registration: no address for bridge.lab"))
        .contains("signalling.bridge", "resolver");
  }
}
