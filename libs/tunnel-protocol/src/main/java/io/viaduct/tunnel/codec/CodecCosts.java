package io.viaduct.tunnel.codec;

import java.util.function.LongSupplier;

/// Estimates the present cost of the codecs on this machine, and holds the rate of payload to
/// compress. Shared by the sessions of one loop, because they share its time.
public final class CodecCosts {
  /// Codec steps, from the cheapest one on.
  public static final int NONE = 0;

  public static final int LZ4 = 1;
  public static final int ZSTD_FIRST = 2;
  public static final int STEPS = 7;

  private static final int[] LEVELS = {0, 0, 1, 3, 6, 9, 12};

  /// First estimate in ns per byte; measured with 1152 and 2664 B of text and 64 KiB of history.
  static final double[] FIRST_GUESS = {0, 3, 8, 12, 30, 55, 100};

  /// Factor by which the means of unused steps follow more slowly than the mean of the step in use.
  private static final int FOLLOW_DIVISOR = 8;

  private final LongSupplier nanoTime;
  private final double[] nsPerByte = FIRST_GUESS.clone();

  private final OfferedRate rate = new OfferedRate();

  public CodecCosts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  /// Returns the zstd level of a step.
  public static int level(int step) {
    return LEVELS[step];
  }

  /// Returns the highest step whose level is not above `level`.
  static int stepOf(int level) {
    int step = ZSTD_FIRST;
    while (step + 1 < STEPS && LEVELS[step + 1] <= level) {
      step++;
    }
    return step;
  }

  /// Returns the rate at which all sessions of the loop together offer payload to codecs.
  OfferedRate rate() {
    return rate;
  }

  /// Takes the compression time of one block at a step. An outlier counts at most four times the
  /// mean, because the thread may have been interrupted.
  ///
  /// The means of the other steps move towards their first estimate times this step's factor. So an
  /// old, perhaps cold, measurement of another step is forgotten.
  public void observe(int step, int bytes, long ns) {
    if (ns <= 0 || bytes <= 0) {
      return; // no clock
    }
    double mean = nsPerByte[step];
    double observed = Math.min((double) ns / bytes, 4 * mean);
    double weight = Math.min(1, bytes / 32_768.0);
    nsPerByte[step] = mean + (observed - mean) * weight;
    double factor = nsPerByte[step] / FIRST_GUESS[step];
    for (int other = LZ4; other < STEPS; other++) {
      if (other != step) {
        nsPerByte[other] +=
            (FIRST_GUESS[other] * factor - nsPerByte[other]) * weight / FOLLOW_DIVISOR;
      }
    }
  }

  double nsPerByte(int step) {
    return nsPerByte[step];
  }
}
