package io.viaduct.billing;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.DatabaseSettings;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.OpeningDatabase;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.snapts.SnaptsImport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Compares the owners of SNAPTs in the configuration with those in the database, which count. It
/// neither starts nor migrates a database: one that is away, or has no such table yet, is not
/// compared.
final class OwnerCheck {
  private static final int TIMEOUT_SECONDS = 3;

  private OwnerCheck() {}

  /// Returns a line for each difference.
  static List<String> of(BillingConfiguration configuration) {
    if (configuration.snapts().isEmpty()) {
      return List.of();
    }
    try {
      Optional<DatabaseAddress> address = address(configuration.database());
      if (address.isEmpty()) {
        return notCompared("no billing runs on its data directory");
      }
      JdbcClient jdbc = JdbcClient.create(source(address.get()));
      return SnaptsImport.differences(configuration.snapts(), id -> Snapts.owner(jdbc, id));
    } catch (IOException | DataAccessException e) {
      return notCompared(String.valueOf(e.getMessage()));
    }
  }

  private static List<String> notCompared(String why) {
    System.err.println("owners of snapts were not compared with the database: " + why);
    return List.of();
  }

  private static Optional<DatabaseAddress> address(DatabaseSettings settings) throws IOException {
    return OpeningDatabase.isEmbedded(settings)
        ? EmbeddedDatabase.running(Path.of(settings.dataDirectory()))
        : Optional.of(OpeningDatabase.external(settings).application());
  }

  private static PGSimpleDataSource source(DatabaseAddress address) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(address.url());
    source.setUser(address.user());
    source.setPassword(address.password());
    source.setConnectTimeout(TIMEOUT_SECONDS);
    source.setSocketTimeout(TIMEOUT_SECONDS);
    return source;
  }
}
