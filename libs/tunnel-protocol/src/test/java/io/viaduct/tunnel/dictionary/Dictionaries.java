package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.codec.EntropyTables;
import java.util.Arrays;

/// Makes dictionaries in arrays of their own.
final class Dictionaries {
  private Dictionaries() {}

  static byte[] of(byte[] content, int length) {
    EntropyTables tables = new EntropyTables();
    byte[] to = new byte[length + EntropyTables.BYTES_MAX];
    tables.dictionary(content, length / 2, to); // leftovers of another dictionary must not matter
    return Arrays.copyOf(to, tables.dictionary(content, length, to));
  }

  static SendDictionary sending(int epoch, byte[] dictionary, int level) {
    return new SendDictionary(epoch, dictionary, dictionary.length, level);
  }
}
