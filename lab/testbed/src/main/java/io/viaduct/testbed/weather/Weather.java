package io.viaduct.testbed.weather;

/// The weather of one direction of a link.
///
/// @param delayNs of propagation, after the transmission
/// @param jitterNs half width of the delay's uniform distribution; at most `delayNs`
/// @param isReordering true if jitter may reorder frames; otherwise a frame waits for those before
/// @param loss of frames behind the line: a lost frame has used the line
/// @param rateBitPerSecond of the line, for Ethernet frames without preamble and checksum, as tc(8)
///   counts; 0 for no limit
/// @param queueBytes most bytes that wait for the line, the frame in transmission included
/// @param queueFrames most frames that wait for the line, the frame in transmission included
/// @param duplication probability of a second copy of a frame, right behind the first
/// @param isBlackHole true if all frames disappear while the link stays up
public record Weather(
    long delayNs,
    long jitterNs,
    boolean isReordering,
    Loss loss,
    long rateBitPerSecond,
    long queueBytes,
    int queueFrames,
    double duplication,
    boolean isBlackHole) {
  /// Longest frame without a jumbo MTU: 1500 bytes and the Ethernet header.
  public static final int FRAME_BYTES = 1514;

  /// Default length of the queue: that of Linux network devices.
  public static final int QUEUE_FRAMES = 1000;

  public static final long DELAY_NS_MAX = 10_000_000_000L;
  public static final long RATE_MIN = 1_000;
  public static final Weather CLEAR =
      new Weather(0, 0, false, Loss.NONE, 0, Long.MAX_VALUE, QUEUE_FRAMES, 0, false);

  public Weather {
    require(delayNs >= 0 && delayNs <= DELAY_NS_MAX, "delay", ms(delayNs), "from 0ms to 10s");
    require(
        jitterNs >= 0 && jitterNs <= delayNs,
        "jitter",
        ms(jitterNs),
        "from 0ms to the delay, which is " + ms(delayNs) + "; raise the delay or lower the jitter");
    require(
        rateBitPerSecond == 0 || rateBitPerSecond >= RATE_MIN,
        "rate",
        rateBitPerSecond + " bit/s",
        "at least 1kbit, or unlimited; use blackhole=on to stop all frames");
    require(
        queueBytes >= FRAME_BYTES,
        "queue",
        queueBytes + " bytes",
        "at least " + FRAME_BYTES + " bytes, one frame");
    require(queueFrames >= 1, "queue", queueFrames + " packets", "at least 1p, one packet");
    require(
        duplication >= 0 && duplication <= 1,
        "duplicate",
        duplication * 100 + " %",
        "from 0% to 100%");
  }

  private static void require(boolean holds, String key, String value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("%s is %s: it must be %s".formatted(key, value, rule));
    }
  }

  private static String ms(long ns) {
    return WeatherText.duration(ns);
  }

  /// Returns this weather with a black hole, or without one.
  public Weather withBlackHole(boolean on) {
    return new Weather(
        delayNs,
        jitterNs,
        isReordering,
        loss,
        rateBitPerSecond,
        queueBytes,
        queueFrames,
        duplication,
        on);
  }

  /// Returns the weather of a row of a trace. Jitter, queue, order and duplication stay as they
  /// are.
  public Weather with(long newDelayNs, Loss newLoss, long newRateBitPerSecond) {
    return new Weather(
        newDelayNs,
        Math.min(jitterNs, newDelayNs),
        isReordering,
        newLoss,
        newRateBitPerSecond,
        queueBytes,
        queueFrames,
        duplication,
        isBlackHole);
  }

  /// Returns the time that a frame occupies the line.
  long transmissionNs(int bytes) {
    return rateBitPerSecond == 0 ? 0 : bytes * 8_000_000_000L / rateBitPerSecond;
  }

  /// Returns the settings as [WeatherText] reads them.
  @Override
  public String toString() {
    return WeatherText.of(this);
  }
}
