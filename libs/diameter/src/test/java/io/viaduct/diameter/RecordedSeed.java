package io.viaduct.diameter;

/// The seed of a random test. It is printed, and `-Dviaduct.seed=` sets it.
public final class RecordedSeed {
  private RecordedSeed() {}

  public static long take(String test) {
    long seed = Long.getLong("viaduct.seed", System.nanoTime());
    System.out.println(test + ": seed " + seed + " (repeat with -Dviaduct.seed=" + seed + ")");
    return seed;
  }
}
