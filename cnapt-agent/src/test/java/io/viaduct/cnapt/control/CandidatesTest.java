package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Relay;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CandidatesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Snapt ONE = new Snapt("snapt-1", "one", 443);
  private static final Snapt TWO = new Snapt("snapt-2", "two", 443);
  private static final Snapt THREE = new Snapt("snapt-3", "three", 443);

  private final Candidates candidates =
      new Candidates(new SnaptSettings("", 443, ""), 10 * SECOND, new SnaptClaims());

  private void succeed() {
    Snapt at = candidates.current();
    assertThat(at).isNotNull();
    assertThat(candidates.succeeded(at, at.id(), 0)).isTrue();
  }

  private void home(Snapt at) {
    candidates.replace(List.of(ONE, TWO, THREE));
    while (!at.equals(candidates.current())) {
      candidates.failed(true, false, 0);
    }
    succeed();
  }

  @Test
  void aStrangerIsAskedThreeTimesHomeForTenSeconds() {
    candidates.replace(List.of(ONE, TWO, THREE));
    candidates.failed(false, false, 0);
    candidates.failed(false, false, 0);
    assertThat(candidates.isPatient(0)).isFalse();
    candidates.failed(false, false, 0);
    assertThat(candidates.current()).isEqualTo(TWO);
    succeed();
    for (long at = 100 * SECOND; at < 110 * SECOND; at += SECOND / 4) {
      assertThat(candidates.failed(false, false, at)).isFalse();
      assertThat(candidates.isPatient(at)).isTrue();
      assertThat(candidates.current()).isEqualTo(TWO);
    }
    assertThat(candidates.failed(false, false, 110 * SECOND)).as("home is given up").isTrue();
    assertThat(candidates.current()).isEqualTo(THREE);
    assertThat(candidates.failed(true, false, 110 * SECOND)).as("a stranger is not").isFalse();
  }

  @Test
  void homeIsNotGivenUpWhileItCarriesAndHasItsPatienceFromThenOn() {
    home(TWO);
    for (long at = 0; at <= 100 * SECOND; at += SECOND) {
      assertThat(candidates.failed(false, true, at)).isFalse();
    }
    assertThat(candidates.isPatient(100 * SECOND)).as("the pauses grow").isFalse();
    assertThat(candidates.failed(false, false, 109 * SECOND)).isFalse();
    assertThat(candidates.current()).isEqualTo(TWO);
    assertThat(candidates.failed(false, false, 110 * SECOND)).isTrue();
    assertThat(candidates.current()).isEqualTo(THREE);
  }

  @Test
  void aListThatSleepsHasNoSnaptAndBeginsAtTheOneThatWakesIt() {
    SnaptClaims claims = new SnaptClaims();
    SnaptSettings none = new SnaptSettings("", 443, "");
    Candidates first = new Candidates(none, 10 * SECOND, claims);
    Candidates second = new Candidates(none, 10 * SECOND, claims);
    second.sleep();
    second.replace(List.of(ONE, TWO, THREE));
    assertThat(second.current()).isNull();
    first.replace(List.of(ONE, TWO, THREE));
    assertThat(first.current()).isEqualTo(ONE);
    assertThat(claims.free(List.of(ONE, TWO, THREE))).containsExactly(TWO, THREE);
    assertThat(second.wake(THREE)).isTrue();
    assertThat(second.wake(TWO)).as("it is awake").isFalse();
    assertThat(second.dial()).isEqualTo(THREE);
    assertThat(second.succeeded(THREE, "snapt-3", 0)).isTrue();
    second.sleep();
    assertThat(second.dial()).isNull();
    assertThat(claims.free(List.of(ONE, TWO, THREE))).containsExactly(TWO, THREE);
    assertThat(second.wake(ONE)).isTrue();
    assertThat(second.dial()).as("the first one has it").isEqualTo(TWO);
  }

  @Test
  void whoRefusesForGoodIsLeftAtOnceEvenHome() {
    home(ONE);
    candidates.failed(true, false, 0);
    assertThat(candidates.current()).isEqualTo(TWO);
  }

  @Test
  void aListWithoutHomeDoesNotEndTheStayThere() {
    home(TWO);
    candidates.failed(false, false, 0);
    candidates.replace(List.of(ONE, THREE));
    assertThat(candidates.current()).isEqualTo(TWO);
    candidates.failed(false, false, 10 * SECOND);
    assertThat(candidates.current()).isEqualTo(ONE);
  }

  @Test
  void afterAChangeOfNetworkHomeIsFirstAgain() {
    home(THREE);
    candidates.failed(false, false, 0);
    candidates.failed(false, false, 10 * SECOND);
    assertThat(candidates.current()).isEqualTo(ONE);
    candidates.networkChanged();
    assertThat(candidates.current()).isEqualTo(THREE);
    assertThat(candidates.isPatient(20 * SECOND)).isTrue();
    candidates.failed(false, false, 20 * SECOND);
    assertThat(candidates.current()).isEqualTo(THREE);
  }

  @Test
  void whoIsTheOnlyOneIsAskedForEverButSlowlyAfterPatience() {
    candidates.replace(List.of(ONE));
    succeed();
    candidates.failed(false, false, 0);
    candidates.failed(false, false, 11 * SECOND);
    assertThat(candidates.current()).isEqualTo(ONE);
    assertThat(candidates.isPatient(11 * SECOND)).isFalse();
  }

  @Test
  void twoListsOfOneDeviceNeverHaveTheSameSnapt() {
    SnaptClaims claims = new SnaptClaims();
    SnaptSettings configured = new SnaptSettings(ONE.host(), ONE.controlPort(), "");
    Candidates first = new Candidates(configured, 10 * SECOND, claims);
    Candidates second = new Candidates(configured, 10 * SECOND, claims);
    assertThat(first.current()).isEqualTo(new Snapt("", ONE.host(), ONE.controlPort()));
    assertThat(second.current()).isNull();
    first.replace(List.of(ONE, TWO, THREE));
    second.replace(List.of(ONE, TWO, THREE));
    assertThat(second.current()).isEqualTo(TWO);
    for (int i = 0; i < Candidates.ATTEMPTS_MAX; i++) {
      first.failed(false, false, 0);
    }
    assertThat(first.current()).as("the next one that is free").isEqualTo(THREE);
    second.failed(true, false, 0);
    assertThat(second.current()).as("what the first one has given up").isNotIn(TWO, THREE);
  }

  @Test
  void aWelcomeCountsForTheSnaptThatHasSentItAlsoWhenTheListHasChangedMeanwhile() {
    candidates.replace(List.of(ONE, TWO));
    candidates.failed(true, false, 0);
    assertThat(candidates.dial()).isEqualTo(TWO);
    candidates.replace(List.of(ONE, THREE));
    assertThat(candidates.current()).as("what is dialled stays").isEqualTo(TWO);
    assertThat(candidates.succeeded(TWO, TWO.id(), 0)).isTrue();
    candidates.replace(List.of(ONE, THREE));
    candidates.failed(false, false, 0);
    assertThat(candidates.current()).as("home").isEqualTo(TWO);
  }

  @Test
  void whoStaysBecauseTheOtherSnaptFailsTriesAThirdOneNext() {
    home(ONE);
    assertThat(candidates.leave()).isTrue();
    assertThat(candidates.current()).isEqualTo(TWO);
    candidates.stay();
    assertThat(candidates.current()).isEqualTo(ONE);
    assertThat(candidates.leave()).isTrue();
    assertThat(candidates.current()).isEqualTo(THREE);
    candidates.replace(List.of(TWO, THREE));
    candidates.stay();
    assertThat(candidates.current()).as("the way back stays").isEqualTo(ONE);
  }

  @Test
  void theSnaptThatIsLeftStaysClaimedUntilTheNextWelcome() {
    SnaptClaims claims = new SnaptClaims();
    SnaptSettings none = new SnaptSettings("", 443, "");
    Candidates first = new Candidates(none, 10 * SECOND, claims);
    Candidates second = new Candidates(none, 10 * SECOND, claims);
    first.replace(List.of(ONE, TWO));
    assertThat(first.succeeded(ONE, ONE.id(), 0)).isTrue();
    assertThat(first.leave()).isTrue();
    second.replace(List.of(ONE, TWO));
    assertThat(second.current()).isNull();
    assertThat(first.succeeded(TWO, TWO.id(), 0)).isTrue();
    assertThat(second.current()).isEqualTo(ONE);
  }

  @Test
  void aSessionIsHandedOverToTheSnaptOfAnotherListWhichKeepsIt() {
    SnaptClaims claims = new SnaptClaims();
    SnaptSettings none = new SnaptSettings("", 443, "");
    Candidates first = new Candidates(none, 10 * SECOND, claims);
    Candidates second = new Candidates(none, 10 * SECOND, claims);
    first.replace(List.of(ONE, TWO));
    second.replace(List.of(ONE, TWO));
    assertThat(first.succeeded(ONE, ONE.id(), 0)).isTrue();
    assertThat(second.current()).isEqualTo(TWO);
    assertThat(second.succeeded(TWO, TWO.id(), 0)).isTrue();
    assertThat(first.leaveFor(TWO, 0)).as("for no session").isFalse();
    assertThat(first.leaveFor(TWO, 7)).isTrue();
    assertThat(first.dial()).isEqualTo(TWO);
    assertThat(first.visits(TWO)).isEqualTo(7);
    assertThat(second.current()).as("it stays").isEqualTo(TWO);
    first.stay();
    assertThat(first.current()).isEqualTo(ONE);
    assertThat(first.visits(TWO)).as("the visit is over").isZero();

    assertThat(first.leaveFor(TWO, 8)).isTrue();
    assertThat(first.succeeded(TWO, TWO.id(), 8)).isTrue();
    second.replace(List.of(ONE, TWO));
    assertThat(second.current()).isEqualTo(TWO);
    assertThat(second.visits(TWO)).as("it has it alone").isZero();
    assertThat(first.current()).isEqualTo(TWO);
    first.sessionOver();
    assertThat(first.current()).as("no other session there").isEqualTo(ONE);
  }

  @Test
  void whoLeavesASnaptThatAnotherListHasTooTakesItFromNoOne() {
    SnaptClaims claims = new SnaptClaims();
    SnaptSettings none = new SnaptSettings("", 443, "");
    Candidates first = new Candidates(none, 10 * SECOND, claims);
    Candidates second = new Candidates(none, 10 * SECOND, claims);
    first.replace(List.of(ONE, TWO, THREE));
    second.replace(List.of(TWO));
    assertThat(second.succeeded(TWO, TWO.id(), 0)).isTrue();
    assertThat(first.succeeded(ONE, ONE.id(), 0)).isTrue();
    assertThat(first.leaveFor(TWO, 7)).isTrue();
    assertThat(first.succeeded(TWO, TWO.id(), 7)).isTrue();
    assertThat(first.leaveFor(THREE, 8)).isTrue();
    assertThat(second.current()).as("while it is left").isEqualTo(TWO);
    assertThat(first.succeeded(THREE, THREE.id(), 8)).isTrue();
    first.turnBack(TWO, 7);
    assertThat(first.current()).isEqualTo(TWO);
    assertThat(second.current()).isEqualTo(TWO);
    assertThat(first.succeeded(TWO, TWO.id(), 0)).as("a session of its own").isFalse();
  }

  @Test
  void twoNamesOfOneSnaptAreOneSnapt() {
    SnaptClaims claims = new SnaptClaims();
    Snapt unnamed = new Snapt("", "other-name", 443);
    Candidates first = new Candidates(new SnaptSettings("", 443, ""), 10 * SECOND, claims);
    Candidates second =
        new Candidates(
            new SnaptSettings(unnamed.host(), unnamed.controlPort(), ""), 10 * SECOND, claims);
    first.replace(List.of(ONE));
    assertThat(first.succeeded(ONE, ONE.id(), 0)).isTrue();
    assertThat(second.dial()).isEqualTo(unnamed);
    second.replace(List.of(new Snapt(ONE.id(), "third-name", 443), TWO));
    assertThat(second.succeeded(unnamed, ONE.id(), 0)).as("the other list has it").isFalse();
    second.failed(true, false, 0);
    assertThat(second.current()).isEqualTo(TWO);
    assertThat(second.succeeded(TWO, TWO.id(), 0)).isTrue();
    second.failed(true, false, 0);
    assertThat(second.current()).as("nothing else is free").isEqualTo(TWO);
  }

  @Test
  void whoIsLeftWithoutAnotherOneIsCurrentAgainWhenAListHasIt() {
    home(ONE);
    candidates.replace(List.of());
    assertThat(candidates.leave()).isFalse();
    candidates.rest();
    assertThat(candidates.current()).isNull();
    candidates.replace(List.of(TWO));
    assertThat(candidates.current()).isEqualTo(TWO);
    candidates.replace(List.of(ONE));
    assertThat(candidates.current()).isEqualTo(ONE);
    assertThat(candidates.restAt(ONE)).as("it has refused").isTrue();
    assertThat(candidates.current()).isNull();
    candidates.replace(List.of(ONE, TWO));
    assertThat(candidates.restAt(TWO)).as("another one is free").isFalse();
    assertThat(candidates.current()).isEqualTo(ONE);
  }

  @Test
  void whoIsLeftWithoutAnotherOneIsCurrentAgainAfterARestThatNoListHasToldOf() {
    home(ONE);
    assertThat(candidates.restIsOver()).as("nobody rests").isFalse();
    candidates.replace(List.of(ONE));
    candidates.rest();
    assertThat(candidates.current()).isNull();
    assertThat(candidates.restIsOver()).as("the list still has it").isTrue();
    assertThat(candidates.current()).isEqualTo(ONE);
    candidates.rest();
    candidates.replace(List.of(TWO));
    assertThat(candidates.restIsOver()).as("once: the list may be its own").isTrue();
    assertThat(candidates.current()).isEqualTo(TWO);
    candidates.rest();
    candidates.replace(List.of(ONE));
    assertThat(candidates.restIsOver()).as("another list will have it").isFalse();
  }

  @Test
  void theOthersAreNotToldOfAConfiguredSnaptThatNoListHas() {
    Candidates own =
        new Candidates(new SnaptSettings("home", 443, "snapt-1"), 10 * SECOND, new SnaptClaims());
    Snapt listed = new Snapt("snapt-2", "other", 443);
    own.replace(List.of(listed, listed));
    assertThat(own.offered()).as("it drains").containsExactly(listed);
    Snapt again = new Snapt("snapt-1", "home", 443);
    own.replace(List.of(listed, again));
    assertThat(own.offered()).as("it serves again").containsExactly(listed, again);
    assertThat(own.current()).as("it goes first").isEqualTo(again);
  }

  @Test
  void theDevicesOfASnaptThatFailsGoToAllOthersAndNotToOneThatIsFull() {
    List<Snapt> all =
        IntStream.range(0, 6).mapToObj(i -> new Snapt("snapt-" + i, "host-" + i, 443)).toList();
    Set<Snapt> next = new HashSet<>();
    for (int device = 0; device < 200; device++) {
      SnaptOrder order = SnaptOrder.of(ByteBuffer.allocate(8).putLong(0, device).array(), "", 0);
      order.told(List.of(Relay.newBuilder().setSnaptId("snapt-5").setLoadPercent(90).build()));
      Candidates own =
          new Candidates(new SnaptSettings("", 443, ""), 10 * SECOND, new SnaptClaims(order));
      own.replace(all);
      Snapt first = own.current();
      assertThat(own.succeeded(first, first.id(), 0)).isTrue();
      own.failed(true, false, 0);
      if (first.equals(all.get(2))) {
        next.add(own.current());
      }
    }
    assertThat(next).containsExactlyInAnyOrder(all.get(0), all.get(1), all.get(3), all.get(4));
  }
}
