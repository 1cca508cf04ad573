package io.viaduct.usage.statement;

import com.google.protobuf.ByteString;
import java.time.LocalDate;

/// The published root of a day: it fixes the statements of all accounts until the end of the day.
///
/// @param day day in UTC
/// @param accounts number of leaves
/// @param tree root of the [MerkleTree] over the last links of all accounts
/// @param previous hash of the root published before; empty for the first one
public record StatementRoot(LocalDate day, long accounts, ByteString tree, ByteString previous) {
  /// Returns the hash that is published and signed.
  public ByteString hash() {
    return new HashInput("viaduct statement root")
        .text(day.toString())
        .number(accounts)
        .hash(tree)
        .hash(previous)
        .result();
  }

  /// Returns the leaf of an account.
  ///
  /// @param genesis [StatementReceipt#genesis] of the account
  /// @param number number of its last link
  /// @param hash hash of its last link
  public static ByteString leaf(ByteString genesis, long number, ByteString hash) {
    return MerkleTree.leaf(
        new HashInput("viaduct statement leaf").hash(genesis).number(number).hash(hash).result());
  }
}
