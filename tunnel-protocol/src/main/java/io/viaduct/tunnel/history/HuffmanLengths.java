package io.viaduct.tunnel.history;

import java.util.Arrays;

/// Code lengths of a Huffman code of bounded length; ties are broken by symbol, so that equal
/// counts always make equal lengths.
final class HuffmanLengths {
  private HuffmanLengths() {}

  /// @param counts all above 0, at least two
  static int[] of(int[] counts, int bitsMax) {
    int[] flattened = counts.clone();
    int[] bits = lengths(flattened);
    while (Arrays.stream(bits).max().orElseThrow() > bitsMax) {
      for (int s = 0; s < flattened.length; s++) {
        flattened[s] = flattened[s] + 1 >>> 1;
      }
      bits = lengths(flattened);
    }
    return bits;
  }

  /// Two queues (van Leeuwen, "On the construction of Huffman trees", 1976).
  private static int[] lengths(int[] counts) {
    int n = counts.length;
    long[] leaves = new long[n];
    for (int s = 0; s < n; s++) {
      leaves[s] = (long) counts[s] << 32 | s;
    }
    Arrays.sort(leaves);
    long[] weight = new long[2 * n - 1];
    int[] parent = new int[2 * n - 1];
    for (int i = 0; i < n; i++) {
      weight[i] = leaves[i] >>> 32;
    }
    int leaf = 0;
    int inner = n;
    for (int made = n; made < 2 * n - 1; made++) {
      for (int child = 0; child < 2; child++) {
        boolean takeLeaf = leaf < n && (inner >= made || weight[leaf] <= weight[inner]);
        int taken = takeLeaf ? leaf++ : inner++;
        weight[made] += weight[taken];
        parent[taken] = made;
      }
    }
    int[] depth = new int[2 * n - 1];
    int[] bits = new int[n];
    for (int i = 2 * n - 3; i >= 0; i--) {
      depth[i] = depth[parent[i]] + 1;
      if (i < n) {
        bits[(int) leaves[i]] = depth[i];
      }
    }
    return bits;
  }
}
