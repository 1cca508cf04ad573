package io.viaduct.billing.database;

/// The address of a PostgreSQL, and billing's role in it. `toString` leaves the password out.
///
/// @param url JDBC URL without a password
/// @param user role
/// @param password the role's password, possibly empty
public record DatabaseAddress(String url, String user, String password) {
  @Override
  public String toString() {
    return user + " at " + url;
  }
}
