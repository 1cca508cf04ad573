package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
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
}
