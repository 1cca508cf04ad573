package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoverLogTest {
  private static final Instant AT = Instant.parse("2026-11-20T12:00:00Z");
  private final HandoverLog log = new HandoverLog();

  @Test
  void theOutageLastsFromNoticeToTheFirstAnswer() {
    log.begun(AT, 1_000_000_000, "link", "linkA 10.1.0.2", "linkB 10.2.0.2");
    assertThat(log.answered(1_042_500_000))
        .isEqualTo(new Handover(AT, "link", "linkA 10.1.0.2", "linkB 10.2.0.2", 42.5));
    assertThat(log.answered(1_100_000_000)).as("only once").isNull();
    assertThat(log.count()).isEqualTo(1);
  }

  @Test
  void changesBeforeTheAnswerAreOneHandoverWithTheNewestDestination() {
    log.begun(AT, 0, "link", "linkA 10.1.0.2", "nowhere");
    log.begun(AT.plusMillis(3), 3_000_000, "route", "nowhere", "linkB 10.2.0.2");
    log.answered(10_000_000);
    assertThat(log.entries())
        .containsExactly(new Handover(AT, "link", "linkA 10.1.0.2", "linkB 10.2.0.2", 10));
  }

  @Test
  void theHundredNewestAreKeptAndAllAreCounted() {
    for (int i = 0; i < 250; i++) {
      log.begun(AT.plusSeconds(i), i, "address", "a", "b" + i);
      log.answered(i);
    }
    assertThat(log.count()).isEqualTo(250);
    assertThat(log.entries()).hasSize(100);
    assertThat(log.entries().getLast().to()).isEqualTo("b249");
    assertThat(log.entries().getFirst().to()).isEqualTo("b150");
  }

  @Test
  void aMoveBetweenTwoPathsThatWorkIsRecordedAtOnce() {
    List<String> timed = new ArrayList<>();
    log.timed((cause, lasted) -> timed.add(cause + " " + lasted.toMillis()));
    log.moved(Instant.EPOCH, 0, "quality", "wlan0", "wwan0");
    assertThat(log.count()).isEqualTo(1);
    assertThat(log.entries().getFirst().outageMs()).isZero();
    assertThat(log.answered(5_000_000)).isNull();
    assertThat(timed).containsExactly("quality 0");
  }

  @Test
  void aMoveWhileAHandoverWaitsForItsAnswerIsAPartOfIt() {
    List<String> timed = new ArrayList<>();
    log.timed((cause, lasted) -> timed.add(cause + " " + lasted.toMillis()));
    log.begun(Instant.EPOCH, 0, "link", "wlan0", "wwan0");
    log.moved(Instant.EPOCH, 1_000_000, "quality", "wwan0", "eth0");
    log.answered(5_000_000);
    assertThat(log.count()).isEqualTo(1);
    assertThat(timed).containsExactly("link 5");
  }
}
