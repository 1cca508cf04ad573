package io.viaduct.billing.database;

/// The two roles of billing in one PostgreSQL (ADR 0052).
///
/// @param application role that billing runs with; it can add posted rows, and not change them
/// @param owner role that owns the tables and migrates them; equal to `application` in an
///   installation with one role
public record DatabaseAccess(DatabaseAddress application, DatabaseAddress owner) {
  /// Returns the access of an installation with one role.
  public static DatabaseAccess oneRole(DatabaseAddress address) {
    return new DatabaseAccess(address, address);
  }
}
