package io.viaduct.tunnel.codec;

import java.util.Arrays;

/// Computes code lengths of a Huffman code of bounded length. Ties are broken by symbol, so that
/// equal counts always give equal lengths. The arrays are reused for one call after the other.
final class HuffmanLengths {
  private final int symbols;
  private final int[] flattened;
  private final long[] leaves;
  private final long[] weight;
  private final int[] parent;
  private final int[] depth;
  private final int[] bits;

  /// Allocates the arrays.
  ///
  /// @param symbols at least two
  HuffmanLengths(int symbols) {
    this.symbols = symbols;
    flattened = new int[symbols];
    leaves = new long[symbols];
    weight = new long[2 * symbols - 1];
    parent = new int[2 * symbols - 1];
    depth = new int[2 * symbols - 1];
    bits = new int[symbols];
  }

  /// Returns the code lengths.
  ///
  /// @param counts count of each symbol, all above 0
  /// @return bits of each symbol's code, valid until the next call
  int[] of(int[] counts, int bitsMax) {
    System.arraycopy(counts, 0, flattened, 0, symbols);
    while (longest() > bitsMax) {
      for (int s = 0; s < symbols; s++) {
        flattened[s] = flattened[s] + 1 >>> 1;
      }
    }
    return bits;
  }

  /// Builds the tree with two queues (van Leeuwen, "On the construction of Huffman trees", 1976).
  ///
  /// @return length of the longest code
  private int longest() {
    for (int s = 0; s < symbols; s++) {
      leaves[s] = (long) flattened[s] << 32 | s;
    }
    Arrays.sort(leaves);
    for (int i = 0; i < symbols; i++) {
      weight[i] = leaves[i] >>> 32;
    }
    int leaf = 0;
    int inner = symbols;
    for (int made = symbols; made < weight.length; made++) {
      weight[made] = 0;
      for (int child = 0; child < 2; child++) {
        boolean takeLeaf = leaf < symbols && (inner >= made || weight[leaf] <= weight[inner]);
        int taken = takeLeaf ? leaf++ : inner++;
        weight[made] += weight[taken];
        parent[taken] = made;
      }
    }
    int longest = 0;
    for (int i = 2 * symbols - 3; i >= 0; i--) {
      depth[i] = depth[parent[i]] + 1;
      if (i < symbols) {
        bits[(int) leaves[i]] = depth[i];
        longest = Math.max(longest, depth[i]);
      }
    }
    return longest;
  }
}
