package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UseAnnouncementTest {
  private static final long MS = 1_000_000;

  private final UseAnnouncement announcement = new UseAnnouncement();

  @Test
  void nothingIsDueBeforeTheFirstDecision() {
    assertThat(announcement.takeDue(1_000 * MS)).isFalse();
    assertThat(announcement.answered(20 * MS, 1_000 * MS)).isFalse();
  }

  @Test
  void aDecisionIsToldAtOnceAndFourTimesMoreWithoutAnAnswer() {
    announcement.decided(0);
    int times = 0;
    for (long ms = 0; ms < 10_000; ms++) {
      times += announcement.takeDue(ms * MS) ? 1 : 0;
    }
    assertThat(times).isEqualTo(UseAnnouncement.TIMES_MAX);
    assertThat(announcement.dueNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void onlyTheAnswerToALaterProbeConfirmsTheDecision() {
    announcement.decided(100 * MS);
    assertThat(announcement.takeDue(100 * MS)).isTrue();
    assertThat(announcement.answered(20 * MS, 110 * MS)).as("its probe left before").isFalse();
    assertThat(announcement.answered(20 * MS, 120 * MS)).isTrue();
    assertThat(announcement.answered(20 * MS, 121 * MS)).as("told once").isFalse();
    assertThat(announcement.takeDue(1_000 * MS)).isFalse();
  }
}
