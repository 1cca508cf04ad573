package io.viaduct.billing.rest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// Encodes the position at which the next page of a list begins. A cursor is opaque to callers and
/// valid only for its scope: the list, the account and the filter. It names the last row of the
/// page before, so rows added meanwhile neither shift nor repeat a row.
///
/// ```text
/// |0 .. 7                                      |8 ..             |
/// |first octets of the SHA-256 of the scope    |key of the row   | 64 bits for each part of the key
/// ```
final class Cursor {
  private static final int SCOPE_BYTES = 8;

  private Cursor() {}

  /// Returns the cursor for the page that follows a row.
  ///
  /// @param scope list, account and filter, in one canonical spelling
  /// @param key sort key of the last row of this page
  static String after(String scope, long... key) {
    ByteBuffer bytes =
        ByteBuffer.allocate(SCOPE_BYTES + key.length * Long.BYTES).put(digest(scope));
    for (long part : key) {
      bytes.putLong(part);
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /// Returns the sort key of the last row of the page before, or null for the first page.
  ///
  /// @param parts length of the key
  /// @throws ProblemException if the cursor is malformed or belongs to another scope
  static long @Nullable [] key(String scope, int parts, @Nullable String cursor) {
    if (cursor == null || cursor.isEmpty()) {
      return null;
    }
    byte[] bytes = bytes(cursor);
    if (bytes.length != SCOPE_BYTES + parts * Long.BYTES) {
      throw ProblemException.invalid(Page.CURSOR_RULE);
    }
    if (!Arrays.equals(bytes, 0, SCOPE_BYTES, digest(scope), 0, SCOPE_BYTES)) {
      throw ProblemException.invalid(
          "cursor belongs to another account, list or filter: take the 'next' of a page that was"
              + " asked for with the same ones");
    }
    long[] key = new long[parts];
    ByteBuffer.wrap(bytes, SCOPE_BYTES, parts * Long.BYTES).asLongBuffer().get(key);
    return key;
  }

  private static byte[] bytes(String cursor) {
    try {
      return Base64.getUrlDecoder().decode(cursor);
    } catch (IllegalArgumentException _) {
      throw ProblemException.invalid(Page.CURSOR_RULE);
    }
  }

  private static byte[] digest(String scope) {
    try {
      return Arrays.copyOf(
          MessageDigest.getInstance("SHA-256").digest(scope.getBytes(StandardCharsets.UTF_8)),
          SCOPE_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
