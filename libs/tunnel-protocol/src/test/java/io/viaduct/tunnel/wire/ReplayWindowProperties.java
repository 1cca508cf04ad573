package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ReplayWindowProperties {
  @Property(tries = 50)
  void theWindowAgreesWithASetOfEverySequence(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ReplayWindow window = new ReplayWindow();
    Set<Long> seen = new HashSet<>();
    long highest = -1;
    for (int i = 0; i < 5_000; i++) {
      long jump =
          switch (random.nextInt(8)) {
            case 0 -> random.nextInt(40_000);
            case 1 -> -random.nextInt(40_000);
            case 2 -> -random.nextInt(130);
            default -> random.nextInt(4);
          };
      long sequence = Math.max(0, highest + jump);
      Verdict expected =
          sequence > highest
              ? Verdict.ACCEPTED
              : highest - sequence >= ReplayWindow.SEQUENCES_MIN
                  ? Verdict.TOO_OLD
                  : seen.contains(sequence) ? Verdict.REPLAYED : Verdict.ACCEPTED;
      assertThat(window.check(sequence)).as("seed %d step %d", seed, i).isEqualTo(expected);
      if (expected == Verdict.ACCEPTED && random.nextInt(10) > 0) {
        window.mark(sequence);
        seen.add(sequence);
        highest = Math.max(highest, sequence);
      }
      assertThat(window.highest()).isEqualTo(highest);
    }
  }

  @Property(tries = 10)
  void aWindowThatGrowsAndShrinksAcceptsNoSequenceTwice(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ReplayWindow window = new ReplayWindow();
    Set<Long> seen = new HashSet<>();
    long highest = -1;
    long nowNs = 1;
    int widest = 0;
    for (int i = 0; i < 200_000; i++) {
      boolean isFast = (i / 50_000 & 1) == 0;
      nowNs += isFast ? 10_000 : 500_000_000;
      long jump = random.nextInt(4) > 0 ? random.nextInt(30) : -random.nextInt(300_000);
      long sequence = Math.max(0, highest + jump);
      Verdict verdict = window.check(sequence);
      if (sequence > highest) {
        assertThat(verdict).isEqualTo(Verdict.ACCEPTED);
      } else if (seen.contains(sequence)) {
        assertThat(verdict).as("seed %d step %d", seed, i).isNotEqualTo(Verdict.ACCEPTED);
      } else if (highest - sequence < ReplayWindow.SEQUENCES_MIN - Long.SIZE) {
        assertThat(verdict).as("seed %d step %d", seed, i).isEqualTo(Verdict.ACCEPTED);
      }
      if (verdict == Verdict.ACCEPTED) {
        window.mark(sequence);
        window.fit(nowNs);
        seen.add(sequence);
        highest = Math.max(highest, sequence);
        widest = Math.max(widest, window.sequences());
      }
    }
    assertThat(widest).isEqualTo(ReplayWindow.SEQUENCES_MAX);
    assertThat(window.sequences()).as("after the pause").isEqualTo(ReplayWindow.SEQUENCES_MIN);
  }

  @Property
  void theHighHalfOfASequenceIsRestoredWithinHalfTheRange(
      @ForAll long anySequence, @ForAll int distance) {
    long sequence = (anySequence & Long.MAX_VALUE) >>> 2;
    long highest = Math.max(0, sequence + distance / 2);
    assertThat(DatagramHeader.restore((int) sequence, highest)).isEqualTo(sequence);
  }

  @Property
  void varintsAreReadAsTheyWereWritten(@ForAll long value) {
    byte[] bytes = new byte[10];
    int length = VarInt.write(bytes, 0, value);
    assertThat(length).isEqualTo(VarInt.length(value));
    assertThat(VarInt.lengthOfLong(bytes, 0, length)).isEqualTo(length);
    assertThat(VarInt.readLong(bytes, 0, length)).isEqualTo(value);
    assertThat(VarInt.lengthOfLong(bytes, 0, length - 1)).isZero();
    assertThat(VarInt.unzigzag(VarInt.zigzag(value))).isEqualTo(value);
    long small = value & Integer.MAX_VALUE;
    int shortLength = VarInt.write(bytes, 0, small);
    assertThat(VarInt.readInt(bytes, 0, shortLength)).isEqualTo((long) shortLength << 32 | small);
    assertThat(VarInt.readInt(bytes, 0, shortLength - 1)).isEqualTo(VarInt.INVALID);
  }
}
