package io.viaduct.tunnel.flow;

/// Allocates ids for the flows that one end opens: an id that was freed at least 30 s ago, else the
/// lowest fresh one. Ids are reused early because low ids are short on the wire.
final class FlowIds {
  static final long QUARANTINE_NS = 30_000_000_000L;
  private final int last;
  private int fresh;
  private int[] freed = new int[16];
  private long[] freedNs = new long[16];
  private int head;
  private int count;

  FlowIds(int first, int last) {
    this.fresh = first;
    this.last = last;
  }

  /// Returns the next id. @return 0 if every id is in use or in quarantine
  int next(long nowNs) {
    if (count > 0 && nowNs - freedNs[head] >= QUARANTINE_NS) {
      int id = freed[head];
      head = (head + 1) % freed.length;
      count--;
      return id;
    }
    return fresh <= last ? fresh++ : 0;
  }

  void free(int id, long nowNs) {
    if (count == freed.length) {
      grow();
    }
    int tail = (head + count) % freed.length;
    freed[tail] = id;
    freedNs[tail] = nowNs;
    count++;
  }

  private void grow() {
    int[] ids = new int[freed.length * 2];
    long[] times = new long[freed.length * 2];
    for (int i = 0; i < count; i++) {
      ids[i] = freed[(head + i) % freed.length];
      times[i] = freedNs[(head + i) % freed.length];
    }
    freed = ids;
    freedNs = times;
    head = 0;
  }
}
