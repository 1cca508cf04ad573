package io.viaduct.cnapt.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkRulesTest {
  private static LinkRule rule(String name, String use, double cost) {
    return new LinkRule(
        LinkPattern.of(name), Optional.of(LinkUse.of(use)), Optional.of(cost), Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    "wlan0, SPARE, 9",
    "wlan1, NO, 0",
    "wwan0, SPARE, 1",
    "wwp0s20f0u6i12, SPARE, 1",
    "wwx028037ec0200, SPARE, 1",
    "rmnet_data0, SPARE, 1",
    "ppp0, SPARE, 1",
    "eth0, YES, 0",
    "usb0, YES, 0",
    "enx0123456789ab, YES, 0"
  })
  void theFirstMatchDecidesAndTheBuiltInLinesComeLast(String name, LinkUse use, double cost) {
    LinkRules rules = LinkRules.of(List.of(rule("wlan0", "spare", 9), rule("wlan*", "no", 0)));
    assertThat(rules.rule(name).allowed()).isEqualTo(use);
    assertThat(rules.rule(name).cost()).contains(cost);
  }

  @Test
  void anOperatorsLineComesBeforeTheBuiltInOnes() {
    LinkRules rules = LinkRules.of(List.of(rule("wwan0", "yes", 0)));
    assertThat(rules.rule("wwan0").allowed()).isEqualTo(LinkUse.YES);
    assertThat(rules.rule("wwan1").allowed()).isEqualTo(LinkUse.SPARE);
  }

  @ParameterizedTest
  @CsvSource({
    "*, wlan0, true",
    "wlan*, wlan0, true",
    "wlan*, wlan*, true",
    "w*n*, wlan*, true",
    "*0, wlan0, true",
    "wlan0, wlan0, true",
    "wlan0, wlan*, false",
    "wlan*, w*, false",
    "wlan*, eth0, false",
    "*0, wlan*, false",
    "a*b, ab, true"
  })
  void aPatternCoversWhatItMatchesInEveryCase(String one, String other, boolean covers) {
    assertThat(LinkPattern.of(one).covers(LinkPattern.of(other))).isEqualTo(covers);
  }

  @Test
  void aLineThatCanNeverDecideIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkRules.of(List.of(rule("wlan*", "no", 0), rule("wlan0", "yes", 0))))
        .withMessageContaining("line 2 (wlan0) can never decide")
        .withMessageContaining("line 1 (wlan*)");
  }

  @ParameterizedTest
  @CsvSource({
    "*, *, true",
    "wlan*, *0, true",
    "wlan0, *0, true",
    "w*n0, wl*, true",
    "wlan0, wlan1, false",
    "wlan*, eth*, false",
    "*0, *1, false",
    "a*b, *c, false",
    "a*, a, true",
    "a*b*c, ab*, true"
  })
  void patternsMeetIfANameMatchesBoth(String one, String other, boolean meets) {
    assertThat(LinkPattern.of(one).meets(LinkPattern.of(other))).isEqualTo(meets);
    assertThat(LinkPattern.of(other).meets(LinkPattern.of(one))).isEqualTo(meets);
  }

  @ParameterizedTest
  @CsvSource({
    "wlan0, true",
    "wlan1, false",
    "wlan*, true",
    "w*, true",
    "wlan1*, false",
    "eth0, true",
    "veth7, false",
    "*, true"
  })
  void aLinkMayBeUsedIfTheFirstLineThatMatchesItSaysSo(String pattern, boolean may) {
    LinkRules rules =
        LinkRules.of(
            List.of(rule("wlan1*", "no", 0), rule("wlan*", "spare", 0), rule("v*", "no", 0)));
    assertThat(rules.mayUse(LinkPattern.of(pattern))).isEqualTo(may);
  }

  @Test
  void linesThatLeaveNoLinkAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkRules.of(List.of(rule("wlan*", "no", 0), rule("*", "no", 0))))
        .withMessageContaining("links: line 2 (*) leaves no link to the device")
        .withMessageContaining("use yes or spare");
    assertThat(LinkRules.of(List.of(rule("wlan0", "spare", 0), rule("*", "no", 0))).rule("eth0"))
        .extracting(LinkRule::allowed)
        .isEqualTo(LinkUse.NO);
  }

  @Test
  void aSignalStrengthThatNoReceiverHasIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new LinkRule(
                LinkPattern.of("wlan0"), Optional.empty(), Optional.empty(), Optional.of(80)))
        .withMessageContaining("weak-below must be from -120 (never) to -20 dBm, got 80");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "wlan 0", "a/b", "eth0:1", "sixteen-letters-"})
  void aNameThatNoInterfaceCanHaveIsRefused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkPattern.of(name))
        .withMessageContaining("got '" + name + "'");
  }
}
