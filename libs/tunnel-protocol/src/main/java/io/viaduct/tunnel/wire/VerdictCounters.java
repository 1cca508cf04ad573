package io.viaduct.tunnel.wire;

/// Counts by [Verdict] what became of each datagram and packet. One writer: an event loop. Other
/// threads may read, and may see older numbers.
public final class VerdictCounters {
  private final long[] counts = new long[Verdict.COUNT];

  public void count(Verdict verdict) {
    counts[verdict.ordinal()]++;
  }

  public void add(Verdict verdict, long number) {
    counts[verdict.ordinal()] += number;
  }

  public long of(Verdict verdict) {
    return counts[verdict.ordinal()];
  }

  /// Adds all counts of an ended session.
  public void addAll(VerdictCounters ended) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += ended.counts[i];
    }
  }

  /// Adds the counts that have come since the last call, and notes them as seen.
  ///
  /// @param seen the counts up to the last call
  public void addNew(VerdictCounters now, VerdictCounters seen) {
    for (int i = 0; i < counts.length; i++) {
      long count = now.counts[i];
      counts[i] += count - seen.counts[i];
      seen.counts[i] = count;
    }
  }
}
