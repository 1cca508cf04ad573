package io.viaduct.service.operations;

import java.lang.ref.WeakReference;

/// Forces a garbage collection, for tests of objects that must survive one.
public final class Garbage {
  private Garbage() {}

  /// Returns when an unreachable object has been collected.
  public static void collect() {
    var sign = new WeakReference<>(new Object());
    while (sign.get() != null) {
      System.gc();
    }
  }
}
