package io.viaduct.tunnel.history;

import java.util.function.LongSupplier;

/// What codecs cost on this machine now, and how much there is to compress: shared by the sessions
/// of a loop, because they share its time.
public final class CodecCosts {
  /// Codec steps, from the cheapest.
  public static final int NONE = 0;

  public static final int LZ4 = 1;
  public static final int ZSTD_FIRST = 2;
  public static final int STEPS = 7;

  private static final int[] LEVELS = {0, 0, 1, 3, 6, 9, 12};

  /// ns per byte; measured with 1152 and 2664 B of text and 64 KiB of history.
  static final double[] FIRST_GUESS = {0, 3, 8, 12, 30, 55, 100};

  /// So many times slower than the mean of the step in use follow those of the others.
  private static final int HEARSAY = 8;

  private final LongSupplier nanoTime;
  private final double[] nsPerByte = FIRST_GUESS.clone();

  private final OfferedRate rate = new OfferedRate();

  CodecCosts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  /// zstd's level at a step.
  static int level(int step) {
    return LEVELS[step];
  }

  /// The highest step whose level is not above.
  static int stepOf(int level) {
    int step = ZSTD_FIRST;
    while (step + 1 < STEPS && LEVELS[step + 1] <= level) {
      step++;
    }
    return step;
  }

  /// How fast the sessions of the loop together offer payload to codecs.
  OfferedRate rate() {
    return rate;
  }

  /// A block was compressed at a step. An outlier counts four times the mean at most: the thread
  /// was not running all the time. The other steps are believed to cost as much more than first
  /// guessed as this one: what they cost when they were last used, cold perhaps, is forgotten.
  public void observe(int step, int bytes, long ns) {
    if (ns <= 0 || bytes <= 0) {
      return; // nobody measures
    }
    double mean = nsPerByte[step];
    double observed = Math.min((double) ns / bytes, 4 * mean);
    double weight = Math.min(1, bytes / 32_768.0);
    nsPerByte[step] = mean + (observed - mean) * weight;
    double factor = nsPerByte[step] / FIRST_GUESS[step];
    for (int other = LZ4; other < STEPS; other++) {
      if (other != step) {
        nsPerByte[other] += (FIRST_GUESS[other] * factor - nsPerByte[other]) * weight / HEARSAY;
      }
    }
  }

  double nsPerByte(int step) {
    return nsPerByte[step];
  }
}
