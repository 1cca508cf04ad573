package io.viaduct.billing.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.account.LoginThrottle.Attempt;
import io.viaduct.billing.account.LoginThrottle.Budgets;
import io.viaduct.service.throttle.SourceNetwork;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LoginThrottleTest {
  private static final Duration PAIR_PAUSE = Duration.ofSeconds(30);
  private static final Duration NAME_PAUSE = Duration.ofSeconds(2);

  private final ManualClock clock = new ManualClock();
  private final List<Duration> waits = new ArrayList<>();
  private final LoginThrottle throttle =
      new LoginThrottle(
          new Budgets(5, PAIR_PAUSE, Duration.ofSeconds(5), 100, 40, NAME_PAUSE),
          clock,
          waits::add);

  private static Attempt from(String address, String name) {
    return new Attempt(name, SourceNetwork.of(InetAddress.ofLiteral(address)), Optional.empty());
  }

  private static Attempt known(String browser, String name) {
    return new Attempt(
        name, SourceNetwork.of(InetAddress.ofLiteral("192.0.2.9")), Optional.of(browser));
  }

  private int admitted(Attempt attempt, int attempts) throws InterruptedException {
    int admitted = 0;
    for (int i = 0; i < attempts; i++) {
      admitted += throttle.admit(attempt).isEmpty() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void oneSourceHasFiveAttemptsAtANameAndThenOneInHalfAMinute() throws Exception {
    Attempt guess = from("198.51.100.1", "operator");
    assertThat(admitted(guess, 50)).isEqualTo(5);
    assertThat(throttle.admit(guess)).contains(PAIR_PAUSE);
    clock.advance(PAIR_PAUSE);
    assertThat(admitted(guess, 50)).isEqualTo(1);
    assertThat(waits).isEmpty();
  }

  @Test
  void wrongPasswordsOfOneSourceDoNotAffectAnother() throws Exception {
    assertThat(admitted(from("198.51.100.1", "operator"), 50)).isEqualTo(5);
    assertThat(throttle.admit(from("192.0.2.1", "operator"))).isEmpty();
    assertThat(waits).isEmpty();
  }

  @Test
  void aRightPasswordGivesItsAttemptBackAndForgetsEarlierMistakes() throws Exception {
    Attempt user = from("192.0.2.1", "alice");
    for (int i = 0; i < 50; i++) {
      assertThat(admitted(user, 4)).isEqualTo(4);
      throttle.passwordWasRight(user);
      clock.advance(Duration.ofMinutes(2));
    }
  }

  @Test
  void oneSourceThatTriesManyNamesIsRefusedAfterAHundredAttemptsInAMinute() throws Exception {
    int admitted = 0;
    for (int i = 0; i < 300; i++) {
      admitted += admitted(from("198.51.100.1", "user" + i), 1);
    }
    assertThat(admitted).isEqualTo(100);
  }

  @Test
  void manySourcesAtOneNameWaitForTheirTurnAndOneBeyondTheLongestWaitIsRefused() throws Exception {
    int admitted = 0;
    for (int i = 1; i <= 200; i++) {
      admitted += admitted(from("198.51.100." + i, "operator"), 1);
    }
    assertThat(admitted).as("40 at once, 10 within 20 s").isEqualTo(50);
    assertThat(waits).hasSize(10).isSorted().last().isEqualTo(LoginThrottle.WAIT_MAX);
    clock.advance(NAME_PAUSE);
    assertThat(throttle.admit(from("203.0.113.1", "operator")))
        .as("a place in the queue is free again")
        .isEmpty();
    assertThat(throttle.admit(from("203.0.113.1", "alice"))).as("another name").isEmpty();
  }

  @Test
  void aKnownBrowserIsSlowedDownOnlyByItsOwnMistakes() throws Exception {
    for (int i = 1; i <= 200; i++) {
      throttle.admit(from("198.51.100." + i, "operator"));
    }
    waits.clear();
    assertThat(admitted(known("browser", "operator"), 5)).isEqualTo(5);
    assertThat(waits).isEmpty();
    assertThat(throttle.admit(known("browser", "operator"))).isEmpty();
    assertThat(throttle.admit(known("browser", "operator"))).isEmpty();
    assertThat(waits).containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(10));
  }

  @Test
  void anIpv6NetworkIsOneSource() throws Exception {
    int admitted = 0;
    for (int i = 1; i <= 50; i++) {
      admitted += admitted(from("2001:db8::" + i, "operator"), 1);
    }
    assertThat(admitted).isEqualTo(5);
  }
}
