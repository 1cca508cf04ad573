package io.viaduct.usage.statement;

import com.google.protobuf.ByteString;

/// One movement of an account's balance, as a link of the account's chain.
///
/// @param number 1, 2, 3 ... within the account
/// @param previous hash of the link before; of the first link, [#genesis]
/// @param postedMicros time of the posting, microseconds since 1970
/// @param kind kind of the ledger transaction, such as `CORRECTION`
/// @param identity identity of the ledger transaction, unique in the ledger
/// @param note note of the ledger transaction
/// @param amount what the account gained, micro-denarii; negative if it lost
/// @param balance balance after it, micro-denarii
/// @param report SHA-256 of the SNAPT's report that is billed; empty if none is
/// @param charges [StatementCharge#digest] of the bill; empty without a bill
public record StatementReceipt(
    long number,
    ByteString previous,
    long postedMicros,
    String kind,
    String identity,
    String note,
    long amount,
    long balance,
    ByteString report,
    ByteString charges) {
  /// Length of a hash, octets.
  public static final int HASH_LENGTH = 32;

  /// Returns the hash that the first link of a chain names.
  ///
  /// @param salt random octets, so that the root of a day reveals no account
  public static ByteString genesis(String account, ByteString salt) {
    return new HashInput("viaduct statement").text(account).hash(salt).result();
  }

  /// Returns the hash of the link, which the next link names.
  public ByteString hash() {
    return new HashInput("viaduct statement receipt")
        .number(number)
        .hash(previous)
        .number(postedMicros)
        .text(kind)
        .text(identity)
        .text(note)
        .number(amount)
        .number(balance)
        .hash(report)
        .hash(charges)
        .result();
  }
}
