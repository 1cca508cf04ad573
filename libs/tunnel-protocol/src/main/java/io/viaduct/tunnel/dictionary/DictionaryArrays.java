package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.codec.EntropyTables;
import java.util.ArrayDeque;

/// Pools the arrays in which the dictionaries of one event loop are made. A new epoch comes with
/// every quarter of its own size in text: fresh arrays would be more garbage than there is text.
/// Rented and given back on the loop; in between the thread that makes the dictionary uses them.
final class DictionaryArrays {
  /// Bound on the arrays kept for reuse; the collector takes the others.
  private static final int KEPT_BYTES_MAX = 1 << 20;

  private static final int TABLES_MAX = 4;

  private final ArrayDeque<byte[]> kept = new ArrayDeque<>();
  private final ArrayDeque<EntropyTables> tables = new ArrayDeque<>();
  private int keptBytes;

  /// Returns room for a window of text, or for a whole dictionary of it. The contents are
  /// undefined.
  byte[] rent(int window) {
    int bytes = window + EntropyTables.BYTES_MAX;
    for (byte[] array : kept) {
      if (array.length == bytes) {
        kept.remove(array);
        keptBytes -= bytes;
        return array;
      }
    }
    return new byte[bytes];
  }

  void giveBack(byte[] array) {
    if (keptBytes + array.length <= KEPT_BYTES_MAX) {
      keptBytes += array.length;
      kept.addFirst(array);
    }
  }

  EntropyTables rentTables() {
    EntropyTables rented = tables.poll();
    return rented == null ? new EntropyTables() : rented;
  }

  void giveBack(EntropyTables rented) {
    if (tables.size() < TABLES_MAX) {
      tables.add(rented);
    }
  }
}
