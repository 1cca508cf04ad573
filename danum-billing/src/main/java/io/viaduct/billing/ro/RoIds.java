package io.viaduct.billing.ro;

/// Gives identifiers to sessions and requests before they are sent.
public interface RoIds {
  /// Returns a new Session-Id.
  String session();

  /// Returns a new end-to-end identifier (RFC 6733 section 3).
  int endToEnd();
}
