package io.viaduct.tunnel.codec;

/// Compresses a few small numbers with FSE, as RFC 8878 §4.1 and §4.2.1.2 define it for Huffman
/// weights: a table description, then one bit stream that is read backwards, with two states in
/// turn.
final class FiniteStateEntropy {
  private FiniteStateEntropy() {}

  /// Compresses the symbols.
  ///
  /// @param symbols more than two, each 0 … `symbolMax`
  /// @return the position behind the last byte, −1 if all symbols are the same
  static int compress(int[] symbols, int symbolMax, int log, byte[] to, int at) {
    int[] norm = normalise(symbols, symbolMax, log);
    if (norm.length == 0) {
      return -1;
    }
    Bits bits = new Bits(to, at);
    describe(norm, log, bits);
    bits.align();
    State states = new State(norm, log);
    int i = symbols.length;
    int one;
    int two;
    if ((i & 1) != 0) {
      one = states.first(symbols[--i]);
      two = states.first(symbols[--i]);
      one = states.encode(one, symbols[--i], bits);
    } else {
      two = states.first(symbols[--i]);
      one = states.first(symbols[--i]);
    }
    while (i > 0) {
      two = states.encode(two, symbols[--i], bits);
      one = states.encode(one, symbols[--i], bits);
    }
    bits.put(two, log);
    bits.put(one, log);
    bits.put(1, 1);
    return bits.align();
  }

  /// Scales the counts to 2^log. A symbol that occurs gets at least one slot.
  private static int[] normalise(int[] symbols, int symbolMax, int log) {
    int[] count = new int[symbolMax + 1];
    for (int symbol : symbols) {
      count[symbol]++;
    }
    int[] norm = new int[symbolMax + 1];
    int left = 1 << log;
    int largest = 0;
    for (int s = 0; s <= symbolMax; s++) {
      norm[s] = count[s] == 0 ? 0 : Math.max(1, (count[s] << log) / symbols.length);
      left -= norm[s];
      largest = norm[s] > norm[largest] ? s : largest;
    }
    norm[largest] += left;
    boolean codable = norm[largest] > 0 && norm[largest] < 1 << log;
    return codable ? norm : new int[0];
  }

  private static void describe(int[] norm, int log, Bits bits) {
    bits.put(log - 5, 4);
    int remaining = (1 << log) + 1;
    int threshold = 1 << log;
    int width = log + 1;
    boolean afterZero = false;
    for (int s = 0; s < norm.length && remaining > 1; ) {
      if (afterZero) {
        int start = s;
        while (norm[s] == 0) {
          s++; // the last symbol that occurs ends the loop before this one can run out
        }
        for (; s >= start + 3; start += 3) {
          bits.put(3, 2);
        }
        bits.put(s - start, 2);
      }
      int count = norm[s++];
      int max = 2 * threshold - 1 - remaining;
      remaining -= count;
      int value = count + 1;
      value += value >= threshold ? max : 0;
      bits.put(value, value < max ? width - 1 : width);
      afterZero = count == 0;
      while (remaining < threshold) {
        width--;
        threshold >>= 1;
      }
    }
  }

  /// Encoding tables.
  private static final class State {
    private final int[] next;
    private final int[] deltaBits;
    private final int[] deltaState;

    State(int[] norm, int log) {
      int size = 1 << log;
      int step = (size >> 1) + (size >> 3) + 3;
      int[] symbolAt = new int[size];
      int[] cumulated = new int[norm.length + 1];
      int position = 0;
      for (int s = 0; s < norm.length; s++) {
        cumulated[s + 1] = cumulated[s] + norm[s];
        for (int i = 0; i < norm[s]; i++) {
          symbolAt[position] = s;
          position = position + step & size - 1;
        }
      }
      deltaBits = new int[norm.length];
      deltaState = new int[norm.length];
      for (int s = 0; s < norm.length; s++) {
        if (norm[s] == 0) {
          continue;
        }
        int most = norm[s] == 1 ? log : log - (31 - Integer.numberOfLeadingZeros(norm[s] - 1));
        deltaBits[s] = (most << 16) - (norm[s] << most);
        deltaState[s] = cumulated[s] - norm[s];
      }
      next = new int[size];
      int[] filled = cumulated.clone();
      for (int u = 0; u < size; u++) {
        next[filled[symbolAt[u]]++] = size + u;
      }
    }

    int first(int symbol) {
      int width = deltaBits[symbol] + (1 << 15) >> 16;
      int value = (width << 16) - deltaBits[symbol];
      return next[(value >> width) + deltaState[symbol]];
    }

    int encode(int state, int symbol, Bits bits) {
      int width = state + deltaBits[symbol] >> 16;
      bits.put(state, width);
      return next[(state >> width) + deltaState[symbol]];
    }
  }

  /// Little-endian bit stream.
  private static final class Bits {
    private final byte[] to;
    private int at;
    private long held;
    private int count;

    Bits(byte[] to, int at) {
      this.to = to;
      this.at = at;
    }

    void put(int value, int width) {
      held |= (value & (1L << width) - 1) << count;
      count += width;
      while (count >= 8) {
        to[at++] = (byte) held;
        held >>>= 8;
        count -= 8;
      }
    }

    int align() {
      if (count > 0) {
        to[at++] = (byte) held;
        held = 0;
        count = 0;
      }
      return at;
    }
  }
}
