package io.viaduct.tunnel.pacing;

/// The run of an MTU_PROBE that belongs to a train: bit 15 is set, bits 14 and 13 tell the length
/// of the train, the others number it. Runs of searches for the path MTU have bit 15 clear.
public final class TrainRun {
  /// Largest run of a search for the path MTU.
  public static final int SEARCH_MAX = 0x7FFF;

  static final int STEPS = 3;
  private static final int MARK = 0x8000;
  private static final int STEP_SHIFT = 13;
  private static final int NUMBERS = 0x1FFF;
  private static final int[] LENGTHS = {2, 8, 32};

  private TrainRun() {}

  static int of(int step, int number) {
    return MARK | step << STEP_SHIFT | number & NUMBERS;
  }

  /// Returns whether an MTU_PROBE or MTU_ACK with this run is of a train.
  public static boolean isTrain(int run) {
    return (run & MARK) != 0;
  }

  /// Returns the number of datagrams of the train; 32 for lengths that this version does not know.
  public static int length(int run) {
    return LENGTHS[Math.min(STEPS - 1, run >> STEP_SHIFT & 3)];
  }

  /// Returns the number of datagrams that must arrive for the train to say anything.
  static int quorum(int run) {
    int length = length(run);
    return length - length / 8;
  }
}
