package io.viaduct.tunnel.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The wire form of an announcement.
public class EpochAnnouncementTest {
  /// Context 3, epoch 300, made of the datagrams 0x1_0000_0100 … 0x1_0000_0200 without two gaps.
  public static EpochAnnouncement sample() {
    EpochAnnouncement a = new EpochAnnouncement();
    a.context = 3;
    a.epoch = 300;
    a.lastLow = 0x200;
    a.span = 0x100;
    a.hash = 0x0102030405060708L;
    a.gaps = 2;
    a.gapAt[0] = 5;
    a.gapLength[0] = 1;
    a.gapAt[1] = 16;
    a.gapLength[1] = 200;
    return a;
  }

  @Test
  void whatIsWrittenIsRead() {
    byte[] bytes = new byte[EpochAnnouncement.BYTES_MAX];
    int end = sample().write(bytes, 0);
    assertThat(end).isEqualTo(sample().length());
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
