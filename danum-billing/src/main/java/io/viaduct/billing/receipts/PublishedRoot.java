package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.statement.StatementRoot;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;

/// A root as published.
///
/// @param hash hash of the root
/// @param signature billing's signature of the hash
/// @param publicKey key of the signature, 32 octets
public record PublishedRoot(
    StatementRoot root,
    ByteString hash,
    ByteString signature,
    ByteString publicKey,
    Instant publishedAt) {
  /// The columns that [#of] reads.
  static final String COLUMNS =
      "day, accounts, tree, previous, hash, signature, public_key, published_at";

  static PublishedRoot of(ResultSet row) throws SQLException {
    return new PublishedRoot(
        new StatementRoot(
            row.getObject("day", LocalDate.class),
            row.getLong("accounts"),
            ByteString.copyFrom(row.getBytes("tree")),
            ByteString.copyFrom(row.getBytes("previous"))),
        ByteString.copyFrom(row.getBytes("hash")),
        ByteString.copyFrom(row.getBytes("signature")),
        ByteString.copyFrom(row.getBytes("public_key")),
        row.getTimestamp("published_at").toInstant());
  }

  /// Returns the fingerprint of the key: the first 16 hexadecimal digits of its SHA-256.
  public String fingerprint() {
    return Ed25519.id(publicKey.toByteArray());
  }
}
