package io.viaduct.sip;

/// The seed of a random test: printed, and taken again from `-Dviaduct.seed=`.
public final class RecordedSeed {
  private RecordedSeed() {}

  public static long take(String test) {
    long seed = Long.getLong("viaduct.seed", System.nanoTime());
    System.out.println(test + ": seed " + seed + " (repeat with -Dviaduct.seed=" + seed + ")");
    return seed;
  }
}
