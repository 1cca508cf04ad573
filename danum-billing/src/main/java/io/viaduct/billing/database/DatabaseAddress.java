package io.viaduct.billing.database;

/// Where a PostgreSQL is and who billing is there. `toString` leaves the password out.
///
/// @param url JDBC URL without a password
/// @param user role
/// @param password its password, possibly empty
public record DatabaseAddress(String url, String user, String password) {
  @Override
  public String toString() {
    return user + " at " + url;
  }
}
