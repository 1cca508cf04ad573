package io.viaduct.billing.rest;

import org.jspecify.annotations.Nullable;

/// Entity tags (RFC 9110, section 8.8.3) of things that have a version number.
final class EntityTag {
  private EntityTag() {}

  /// Returns the tag of a version, with its quotes.
  static String of(long version) {
    return "\"" + version + "\"";
  }

  /// Returns the version that a header If-Match names.
  ///
  /// @throws ProblemException if the header is missing or names no version
  static long required(@Nullable String ifMatch) {
    if (ifMatch == null) {
      throw new ProblemException(
          ProblemType.VERSION_REQUIRED,
          "send the header If-Match with the ETag that you have read last");
    }
    if (!ifMatch.matches("\"[0-9]{1,18}\"")) {
      throw ProblemException.invalid("If-Match must be an ETag as read, such as \"1\"");
    }
    return Long.parseLong(ifMatch.substring(1, ifMatch.length() - 1));
  }
}
