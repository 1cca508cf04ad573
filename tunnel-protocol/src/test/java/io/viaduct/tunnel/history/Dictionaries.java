package io.viaduct.tunnel.history;

import java.util.Arrays;

/// Dictionaries in arrays of their own.
final class Dictionaries {
  private Dictionaries() {}

  static byte[] of(byte[] content, int length) {
    int[] table = new int[EntropyTables.TABLE];
    Arrays.fill(table, length); // what the one before has left
    byte[] to = new byte[length + EntropyTables.BYTES_MAX];
    return Arrays.copyOf(to, EntropyTables.dictionary(content, length, table, to));
  }

  static SendDictionary sending(int epoch, byte[] dictionary, int level) {
    return new SendDictionary(epoch, dictionary, dictionary.length, level);
  }
}
