package io.viaduct.tunnel.pacing;

/// Estimates by how much the delay of a path varies from receipt to receipt without any queue's
/// doing: the mean of half the second difference. A queue that grows or drains evenly adds nothing
/// to it. Times in µs; only changes count.
final class DelayNoise {
  private static final int WEIGHT = 16;

  private int samples;
  private int last;
  private int lastChange;
  private double noiseUs;

  /// Takes the delay of a receipt. @return the estimate
  double with(int delayUs) {
    int change = delayUs - last;
    if (samples >= 2) {
      noiseUs += (Math.abs(change - lastChange) / 2.0 - noiseUs) / WEIGHT;
    } else {
      samples++;
    }
    last = delayUs;
    lastChange = change;
    return noiseUs;
  }
}
