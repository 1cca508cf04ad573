package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import java.nio.file.Path;
import java.util.List;

/// The database and its connection pool.
///
/// @param url JDBC URL, or empty for the embedded PostgreSQL
/// @param user role at that URL
/// @param passwordFile file with the role's password, or empty
/// @param ownerUser role at that URL that owns the tables and migrates them; empty: `user`
/// @param ownerPasswordFile file with the owner's password, or empty
/// @param dataDirectory directory of the embedded PostgreSQL; required if there is no URL
/// @param binariesDirectory directory into which the programs of the embedded PostgreSQL are
///   unpacked; empty for the data directory
/// @param connections size of the pool
public record DatabaseSettings(
    String url,
    String user,
    @FileName String passwordFile,
    String ownerUser,
    @FileName String ownerPasswordFile,
    @FileName String dataDirectory,
    @FileName String binariesDirectory,
    int connections) {
  public DatabaseSettings {
    require(
        url.isEmpty() ? !dataDirectory.isEmpty() : url.startsWith("jdbc:postgresql:"),
        "url must start with jdbc:postgresql:, or be empty with a data-directory given",
        url);
    require(!url.contains("password="), "url must not hold a password: use password-file", "(url)");
    require(
        connections >= 2 && connections <= 200,
        "connections must be between 2 and 200",
        Integer.toString(connections));
    require(
        ownerUser.isEmpty() || !url.isEmpty() && !ownerUser.equals(user),
        "owner-user needs a url, and must not be user",
        ownerUser);
    for (String file : List.of(passwordFile, ownerPasswordFile)) {
      if (!file.isEmpty()) {
        Secret.of(file);
      }
    }
  }

  /// Returns the directory into which the programs of the embedded PostgreSQL are unpacked.
  public Path binaries() {
    return binariesDirectory.isEmpty()
        ? Path.of(dataDirectory, "binaries")
        : Path.of(binariesDirectory);
  }
}
