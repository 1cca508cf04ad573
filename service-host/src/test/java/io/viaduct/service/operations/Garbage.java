package io.viaduct.service.operations;

import java.lang.ref.WeakReference;

/// Collects garbage and knows that it was collected, for tests of what must outlive a collection.
public final class Garbage {
  private Garbage() {}

  /// Returns when an object that nobody holds has gone.
  public static void collect() {
    var sign = new WeakReference<>(new Object());
    while (sign.get() != null) {
      System.gc();
    }
  }
}
