package io.viaduct.usage.statement;

import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The binary hash tree of RFC 6962, section 2.1, built level by level: a node without a sibling is
/// the node of the next level, too. Level 0 has the leaves, the last level the root.
public final class MerkleTree {
  private static final byte LEAF = 0;
  private static final byte NODE = 1;

  private MerkleTree() {}

  /// Returns the hash of a leaf.
  static ByteString leaf(ByteString content) {
    return sha256(LEAF, content, ByteString.EMPTY);
  }

  /// Returns all levels of the tree.
  ///
  /// @param leaves hashes of the leaves, one or more
  public static List<List<ByteString>> levels(List<ByteString> leaves) {
    if (leaves.isEmpty()) {
      throw new IllegalArgumentException("a tree must have a leaf");
    }
    List<List<ByteString>> levels = new ArrayList<>();
    List<ByteString> level = List.copyOf(leaves);
    levels.add(level);
    while (level.size() > 1) {
      List<ByteString> above = new ArrayList<>((level.size() + 1) / 2);
      for (int i = 0; i < level.size(); i += 2) {
        above.add(i + 1 < level.size() ? node(level.get(i), level.get(i + 1)) : level.get(i));
      }
      levels.add(above);
      level = above;
    }
    return levels;
  }

  /// Returns the siblings on the way from a leaf to the root, lowest first.
  public static List<ByteString> proof(List<List<ByteString>> levels, int position) {
    List<ByteString> proof = new ArrayList<>();
    for (int height = 0; height < levels.size(); height++) {
      int sibling = (position >> height) ^ 1;
      if (sibling < levels.get(height).size()) {
        proof.add(levels.get(height).get(sibling));
      }
    }
    return proof;
  }

  /// Returns the root that a proof leads to; empty if the proof does not fit the position and the
  /// number of leaves.
  ///
  /// @param position of the leaf, from 0
  /// @param leaves number of leaves of the tree
  public static Optional<ByteString> root(
      ByteString leaf, long position, long leaves, List<ByteString> proof) {
    if (position < 0 || position >= leaves) {
      return Optional.empty();
    }
    ByteString hash = leaf;
    int used = 0;
    long at = position;
    for (long last = leaves - 1; last > 0; last >>= 1) {
      boolean hasSibling = (at & 1) == 1 || at < last;
      if (hasSibling) {
        if (used == proof.size()) {
          return Optional.empty();
        }
        ByteString sibling = proof.get(used);
        used++;
        hash = (at & 1) == 1 ? node(sibling, hash) : node(hash, sibling);
      }
      at >>= 1;
    }
    return used == proof.size() ? Optional.of(hash) : Optional.empty();
  }

  private static ByteString node(ByteString left, ByteString right) {
    return sha256(NODE, left, right);
  }

  private static ByteString sha256(byte kind, ByteString first, ByteString second) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(kind);
      digest.update(first.asReadOnlyByteBuffer());
      digest.update(second.asReadOnlyByteBuffer());
      return ByteString.copyFrom(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
