package io.viaduct.tunnel.history;

import java.util.ArrayDeque;

/// Arrays in which the dictionaries of one event loop are made. An epoch comes with every quarter
/// of its own size in text, so that arrays of its own would be more garbage than there is text.
/// Rented and given back on the loop; in between whoever makes the dictionary has them.
final class DictionaryArrays {
  /// What is kept for the next one; more is left to the collector.
  private static final int KEPT_BYTES_MAX = 1 << 20;

  private static final int TABLES_MAX = 4;

  private final ArrayDeque<byte[]> kept = new ArrayDeque<>();
  private final ArrayDeque<EntropyTables> tables = new ArrayDeque<>();
  private int keptBytes;

  /// Room for a window of text, or for a whole dictionary of it; whatever was in it.
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
