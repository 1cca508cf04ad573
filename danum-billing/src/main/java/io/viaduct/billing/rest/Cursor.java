package io.viaduct.billing.rest;

import io.viaduct.service.digest.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Encodes the position at which the next page of a list begins. A cursor is opaque to callers and
/// valid only for its scope: the list, the account and the filter. It names the last row of the
/// page before, so rows added meanwhile neither shift nor repeat a row.
///
/// ```text
/// |0 .. 7                                      |8 ..             |
/// |first octets of the SHA-256 of the scope    |key of the row   | 64 bits for each part of the key, then its names if it has some, with line feeds between
/// ```
final class Cursor {
  private static final int SCOPE_BYTES = 8;

  private static final int NAME_MAX = 128;

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
    requireScope(scope, bytes);
    long[] key = new long[parts];
    ByteBuffer.wrap(bytes, SCOPE_BYTES, parts * Long.BYTES).asLongBuffer().get(key);
    return key;
  }

  /// A key that ends with names, none of which has a line feed.
  record Named(long number, List<String> names) {
    Named(long number, String... names) {
      this(number, List.of(names));
    }
  }

  /// Returns the cursor for the page that follows a row with names.
  static String after(String scope, Named key) {
    byte[] name = String.join("\n", key.names()).getBytes(StandardCharsets.UTF_8);
    byte[] bytes =
        ByteBuffer.allocate(SCOPE_BYTES + Long.BYTES + name.length)
            .put(digest(scope))
            .putLong(key.number())
            .put(name)
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /// Returns the key with names of the last row of the page before, or null for the first page.
  ///
  /// @param names how many the key has
  /// @throws ProblemException if the cursor is malformed or belongs to another scope
  static @Nullable Named named(String scope, int names, @Nullable String cursor) {
    if (cursor == null || cursor.isEmpty()) {
      return null;
    }
    byte[] bytes = bytes(cursor);
    if (bytes.length < SCOPE_BYTES + Long.BYTES) {
      throw ProblemException.invalid(Page.CURSOR_RULE);
    }
    requireScope(scope, bytes);
    String text =
        new String(
            bytes,
            SCOPE_BYTES + Long.BYTES,
            bytes.length - SCOPE_BYTES - Long.BYTES,
            StandardCharsets.UTF_8);
    List<String> found = List.of(text.split("\n", -1));
    if (found.size() != names) {
      throw ProblemException.invalid(Page.CURSOR_RULE);
    }
    // The database cannot store every character, so it cannot compare with every one.
    found.forEach(name -> PlainText.require("cursor", name, NAME_MAX));
    return new Named(ByteBuffer.wrap(bytes, SCOPE_BYTES, Long.BYTES).getLong(), found);
  }

  private static void requireScope(String scope, byte[] bytes) {
    if (!Arrays.equals(bytes, 0, SCOPE_BYTES, digest(scope), 0, SCOPE_BYTES)) {
      throw ProblemException.invalid(
          "cursor belongs to another account, list or filter: take the 'next' of a page that was"
              + " asked for with the same ones");
    }
  }

  private static byte[] bytes(String cursor) {
    try {
      return Base64.getUrlDecoder().decode(cursor);
    } catch (IllegalArgumentException _) {
      throw ProblemException.invalid(Page.CURSOR_RULE);
    }
  }

  private static byte[] digest(String scope) {
    return Arrays.copyOf(Sha256.of(scope), SCOPE_BYTES);
  }
}
