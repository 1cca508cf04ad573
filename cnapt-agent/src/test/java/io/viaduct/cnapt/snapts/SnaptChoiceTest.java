package io.viaduct.cnapt.snapts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.cnapt.snapts.SnaptFacts.State;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnaptChoiceTest {
  private static final double NEVER_FULL = Double.POSITIVE_INFINITY;
  private static final SnaptChoice CHOICE =
      new SnaptChoice(new SnaptsSettings(3, 10, Unmet.BEST_EFFORT, ""));

  private static SnaptFacts at(String name, double roundTripMs, double capacity, double... sent) {
    double[] rates = new double[ServiceClass.COUNT];
    double own = 0;
    for (int i = 0; i < sent.length; i++) {
      rates[i] = sent[i];
      own += sent[i];
    }
    return new SnaptFacts(
        name,
        State.CARRYING,
        roundTripMs,
        new LineLoad(capacity, rates),
        LineLoad.UNKNOWN,
        own,
        SnaptPrices.NONE,
        0);
  }

  private static SnaptFacts with(SnaptFacts facts, State state, double price, double load) {
    return new SnaptFacts(
        facts.name(),
        state,
        facts.roundTripMs(),
        facts.up(),
        facts.down(),
        facts.ownBitPerSecond(),
        SnaptPrices.of(Collections.nCopies(ServiceClass.COUNT, Math.round(price * 1e6))),
        load);
  }

  private static String chosen(ServiceClass of, SnaptFacts... known) {
    SnaptDecision decision = CHOICE.choose(of, List.of(known));
    return known[decision.chosen()].name();
  }

  @Test
  void lowDelayTakesTheNearestOfThree() {
    SnaptFacts near = at("near", 10, NEVER_FULL);
    SnaptFacts middle = at("middle", 40, NEVER_FULL);
    SnaptFacts far = at("far", 160, NEVER_FULL);
    assertThat(chosen(ServiceClass.LT_LD, far, middle, near)).isEqualTo("near");
    assertThat(chosen(ServiceClass.HT_LD, middle, near, far)).isEqualTo("near");
  }

  @Test
  void lowDelayDoesNotSeeTheLoadOfLowerClassesOnTheNearestOne() {
    SnaptFacts near = at("near", 10, 2e6, 0, 0, 0, 2e6);
    SnaptFacts far = at("far", 160, NEVER_FULL);
    assertThat(chosen(ServiceClass.HT_LD, near, far)).isEqualTo("near");
  }

  @Test
  void lowDelayLeavesTheNearestOneWhenItsOwnClassFillsIt() {
    SnaptFacts near = at("near", 10, 2e6, 0, 1.95e6);
    SnaptFacts far = at("far", 160, NEVER_FULL);
    assertThat(chosen(ServiceClass.HT_LD, near, far)).isEqualTo("far");
    assertThat(chosen(ServiceClass.LT_LD, near, far)).isEqualTo("near");
  }

  @Test
  void highThroughputLeavesTheOneThatItsOwnTrafficFills() {
    SnaptFacts near = at("near", 10, 10e6, 0, 8.5e6);
    SnaptFacts far = at("far", 160, NEVER_FULL);
    assertThat(chosen(ServiceClass.HT_HD, near, far)).isEqualTo("far");
  }

  @Test
  void highThroughputGoesBesideOwnTrafficAlsoWhileNoRateIsKnown() {
    SnaptFacts near = at("near", 10, NEVER_FULL, 0, 8e6);
    SnaptFacts far = at("far", 160, NEVER_FULL);
    assertThat(chosen(ServiceClass.HT_HD, near, far)).isEqualTo("far");
    assertThat(chosen(ServiceClass.HT_HD, at("near", 10, NEVER_FULL, 2e3), far)).isEqualTo("near");
  }

  @Test
  void theCheaperOneWinsIfItIsNotTooFar() {
    SnaptFacts dear = with(at("dear", 20, NEVER_FULL), State.CARRYING, 3, 0);
    SnaptFacts free = at("free", 45, NEVER_FULL);
    assertThat(chosen(ServiceClass.LT_LD, dear, free)).isEqualTo("free");
    assertThat(chosen(ServiceClass.LT_LD, dear, at("free", 55, NEVER_FULL))).isEqualTo("dear");
  }

  @Test
  void aFullSnaptIsAvoided() {
    SnaptFacts full = with(at("full", 20, NEVER_FULL), State.CARRYING, 0, 1);
    assertThat(chosen(ServiceClass.LT_LD, full, at("other", 35, NEVER_FULL))).isEqualTo("other");
    assertThat(chosen(ServiceClass.LT_LD, full, at("other", 45, NEVER_FULL))).isEqualTo("full");
  }

  @Test
  void whatDoesNotCarryIsTakenOnlyWithoutAnother() {
    SnaptFacts near = at("near", 10, NEVER_FULL);
    SnaptFacts far = at("far", 390, NEVER_FULL);
    for (State state : List.of(State.LEAVING, State.BEGINNING, State.SILENT, State.NONE)) {
      assertThat(chosen(ServiceClass.LT_LD, with(near, state, 0, 0), far)).isEqualTo("far");
    }
    assertThat(
            chosen(
                ServiceClass.LT_LD, with(near, State.SILENT, 0, 0), with(far, State.LEAVING, 0, 0)))
        .isEqualTo("far");
    assertThat(chosen(ServiceClass.LT_LD, with(near, State.SILENT, 0, 0))).isEqualTo("near");
  }

  @Test
  void withoutOneThatMeetsTheClassTheLeastCostDecides() {
    SnaptDecision decision =
        CHOICE.choose(
            ServiceClass.LT_LD, List.of(at("one", 900, NEVER_FULL), at("two", 800, NEVER_FULL)));
    assertThat(decision.chosen()).isEqualTo(1);
    assertThat(decision.weighed()).noneMatch(SnaptDecision.Weighed::meets);
  }

  @Test
  void theDirectionWithLessRateCounts() {
    SnaptFacts near = at("near", 10, 10e6);
    double[] taken = {0, 0, 0, 8.5e6};
    SnaptFacts fullDown =
        new SnaptFacts(
            "near",
            State.CARRYING,
            10,
            near.up(),
            new LineLoad(10e6, taken),
            8.5e6,
            SnaptPrices.NONE,
            0);
    SnaptFacts far = at("far", 160, NEVER_FULL, 0, 0, 0, 9e6);
    assertThat(chosen(ServiceClass.HT_HD, fullDown, far)).isEqualTo("far");
    assertThat(chosen(ServiceClass.HT_LD, fullDown, far))
        .as("lower classes give way")
        .isEqualTo("near");
  }

  @Test
  void equalOnesGoByTheOrderOfTheList() {
    assertThat(chosen(ServiceClass.LT_HD, at("one", 20, NEVER_FULL), at("two", 20, NEVER_FULL)))
        .isEqualTo("one");
    assertThat(chosen(ServiceClass.LT_HD, SnaptFacts.unknown("one"), SnaptFacts.unknown("two")))
        .isEqualTo("one");
  }

  @Test
  void theReasonNamesEveryInput() {
    SnaptFacts near = with(at("near", 10, 10e6, 0, 8e6), State.CARRYING, 1.5, 0.5);
    String why = CHOICE.choose(ServiceClass.HT_HD, List.of(near, SnaptFacts.unknown("new"))).why();
    assertThat(why)
        .isEqualTo(
            "least cost of class HT_HD at its first packet: near costs 116.0 ms (carrying, round trip 10.0 ms,"
                + " 2.0 Mbit/s spare up, never full down, own traffic 8.0 Mbit/s, price 1.50 den/GB, load 50 %); new costs 40.0 ms (none, round"
                + " trip not measured, never full up, never full down, own traffic 0.0 Mbit/s, price 0.00 den/GB, load 0 %)");
  }

  private static SnaptFacts line(String name, double upRate, double downRate) {
    return new SnaptFacts(
        name,
        State.CARRYING,
        10,
        new LineLoad(upRate, new double[ServiceClass.COUNT]),
        new LineLoad(downRate, new double[ServiceClass.COUNT]),
        0,
        SnaptPrices.NONE,
        0);
  }

  @Test
  void aTransferNeedsHalfOfASlowDirectionAndACallItsWholeRate() {
    assertThat(CHOICE.choose(ServiceClass.HT_HD, List.of(line("adsl", 1e6, 16e6))).isUnmet())
        .isFalse();
    assertThat(CHOICE.choose(ServiceClass.HT_HD, List.of(line("modem", 6e4, 16e6))).isUnmet())
        .as("not even acknowledgements")
        .isTrue();
    assertThat(
            CHOICE.choose(ServiceClass.HT_HD, List.of(at("busy", 10, 1e6, 0, 0, 0, 6e5))).isUnmet())
        .as("less than half is left")
        .isTrue();
    assertThat(CHOICE.choose(ServiceClass.HT_LD, List.of(line("call", 1e5, 16e6))).isUnmet())
        .isTrue();
  }

  @Test
  void aClassIsUnmetOnlyIfASnaptCarriesAndItIsKnownThatNoneMeetsIt() {
    SnaptFacts late = at("late", 500, NEVER_FULL);
    SnaptFacts full = at("full", 10, 2e6, 0, 1.99e6);
    List<SnaptFacts> both = List.of(late, full);
    SnaptDecision unmet = CHOICE.choose(ServiceClass.HT_LD, both);
    assertThat(unmet.isUnmet()).isTrue();
    assertThat(unmet.best().missed()).isEqualTo(Missed.RATE);
    assertThat(unmet.whyRefused())
        .startsWith("no SNAPT meets class HT_LD at its first packet: late costs 500.0 ms")
        .contains("does not meet the delay of the class")
        .contains("does not meet the rate of the class");
    assertThat(unmet.why()).startsWith("least cost of class HT_LD");
    assertThat(CHOICE.choose(ServiceClass.HT_HD, both).isUnmet())
        .as("a class without delay")
        .isFalse();
    SnaptFacts silent = with(late, State.SILENT, 0, 0);
    assertThat(CHOICE.choose(ServiceClass.HT_LD, List.of(silent)).isUnmet())
        .as("while nothing carries, flows wait")
        .isFalse();
    SnaptFacts fresh = at("new", Double.NaN, NEVER_FULL);
    assertThat(CHOICE.choose(ServiceClass.HT_LD, List.of(late, full, fresh)).isUnmet())
        .as("nothing is measured of one")
        .isFalse();
  }

  @Test
  void settingsOutOfRangeAreRefusedWithKeyAndRule() {
    assertThatThrownBy(() -> new SnaptsSettings(9, 0, Unmet.BEST_EFFORT, ""))
        .hasMessage("snapts.sessions must be from 1 to 8, got 9");
    assertThatThrownBy(() -> new SnaptsSettings(0, 0, Unmet.BEST_EFFORT, ""))
        .hasMessageContaining("got 0");
    assertThatThrownBy(() -> new SnaptsSettings(1, -1, Unmet.BEST_EFFORT, ""))
        .hasMessage("snapts.price-weight must be from 0 to 100000, got -1.0");
    assertThatThrownBy(() -> new SnaptsSettings(1, Double.NaN, Unmet.BEST_EFFORT, ""))
        .hasMessageContaining("NaN");
  }

  @Test
  void thePriceOfTheFlowsClassCountsAndThatOfOthersDoesNot() {
    SnaptFacts cheap = at("cheap", 30, NEVER_FULL);
    SnaptFacts dear =
        new SnaptFacts(
            "dear",
            State.CARRYING,
            10,
            LineLoad.UNKNOWN,
            LineLoad.UNKNOWN,
            0,
            SnaptPrices.of(List.of(0L, 0L, 0L, 5_000_000L)),
            0);
    assertThat(chosen(ServiceClass.LT_LD, dear, cheap)).isEqualTo("dear");
    assertThat(chosen(ServiceClass.HT_HD, dear, cheap)).isEqualTo("cheap");
    assertThat(CHOICE.choose(ServiceClass.HT_HD, List.of(dear, cheap)).why())
        .contains("dear costs 51.0 ms", "price 5.00 den/GB");
  }
}
