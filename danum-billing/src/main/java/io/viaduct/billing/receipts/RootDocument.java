package io.viaduct.billing.receipts;

import java.time.Instant;
import java.util.Base64;

/// A published root as JSON: in the REST interface and in files.
///
/// @param day day in UTC
/// @param root hash to compare with; the other values are its reasons
/// @param tree root of the tree over the last receipts of all accounts
/// @param accounts number of leaves of the tree
/// @param previous root published before; empty for the first one
/// @param signature Ed25519 over "viaduct statement root\0" and the octets of `root`, base64
/// @param publicKey key of the signature, base64
/// @param fingerprint first 16 hexadecimal digits of the SHA-256 of the key
public record RootDocument(
    String day,
    String root,
    String tree,
    String accounts,
    String previous,
    String signature,
    String publicKey,
    String fingerprint,
    Instant publishedAt) {
  /// Returns the document of a root.
  public static RootDocument of(PublishedRoot published) {
    Base64.Encoder base64 = Base64.getEncoder();
    return new RootDocument(
        published.root().day().toString(),
        Hex.of(published.hash()),
        Hex.of(published.root().tree()),
        Long.toString(published.root().accounts()),
        Hex.of(published.root().previous()),
        base64.encodeToString(published.signature().toByteArray()),
        base64.encodeToString(published.publicKey().toByteArray()),
        published.fingerprint(),
        published.publishedAt());
  }
}
