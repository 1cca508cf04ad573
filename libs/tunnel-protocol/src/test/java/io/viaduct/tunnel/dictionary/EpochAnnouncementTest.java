package io.viaduct.tunnel.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Tests the wire form of an announcement.
class EpochAnnouncementTest {
  @Test
  void anAnnouncementIsReadAsItWasWritten() {
    byte[] bytes = new byte[EpochAnnouncement.BYTES_MAX];
    int end = GoldenHistory.announcement().write(bytes, 0);
    assertThat(end).isEqualTo(GoldenHistory.announcement().length());
    assertThat(HexFormat.of().formatHex(bytes, 0, end))
        .isEqualTo("03ac0200000200800201020304050607080205000ac701");
    EpochAnnouncement read = new EpochAnnouncement();
    assertThat(read.read(bytes, 0, end)).isEqualTo(end);
    assertThat(read.last(0x1_0000_0300L)).isEqualTo(0x1_0000_0200L);
    assertThat(read.has(4)).isTrue();
    assertThat(read.has(5)).isFalse();
    assertThat(read.has(6)).isTrue();
    assertThat(read.has(16)).isFalse();
    assertThat(read.has(215)).isFalse();
    assertThat(read.has(216)).isTrue();
    for (int cut = 0; cut < end; cut++) {
      assertThat(new EpochAnnouncement().read(bytes, 0, cut)).as("cut at %d", cut).isNegative();
    }
  }

  @Test
  void rubbishIsRefusedAndNeverReadBehindItsEnd() {
    SplittableRandom random = new SplittableRandom(11);
    EpochAnnouncement read = new EpochAnnouncement();
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      int next = read.read(bytes, 0, bytes.length);
      if (next >= 0) {
        assertThat(next).isLessThanOrEqualTo(bytes.length);
        assertThat(read.span).isBetween(0, EpochAnnouncement.SPAN_MAX);
        assertThat(read.gaps).isBetween(0, EpochAnnouncement.GAPS_MAX);
      }
    }
  }
}
