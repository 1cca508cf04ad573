package io.viaduct.billingbench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// CGRateS as it is installed on this machine.
///
/// @param engine its program `cgr-engine`
/// @param data its directory of shared files, with the statements that make its tables
record CgratesInstallation(Path engine, Path data) {
  /// The directory of shared files of its Debian package.
  static final Path PACKAGED_DATA = Path.of("/usr/share/cgrates");

  /// Finds the program: the named one, or that on the search path.
  ///
  /// @return empty if it is not installed
  /// @throws IllegalArgumentException if it is, and its statements are not
  static Optional<CgratesInstallation> find(Optional<Path> named, Path data) {
    return named
        .or(() ->
            Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "cgr-engine"))
                .filter(Files::isExecutable)
                .findFirst())
        .map(engine -> {
          CgratesInstallation found = new CgratesInstallation(engine, data);
          if (!Files.isExecutable(engine) || !Files.exists(found.tables("cdrs"))) {
            throw new IllegalArgumentException(
                "%s must be a program and %s its tables: name them with --cgr-engine and --cgrates-data"
                    .formatted(engine, found.tables("cdrs")));
          }
          return found;
        });
  }

  private Path tables(String name) {
    return data.resolve("storage/postgres/create_%s_tables.sql".formatted(name));
  }

  /// Returns the statements that make its tables.
  String statements() throws IOException {
    return Files.readString(tables("cdrs")) + Files.readString(tables("tariffplan"));
  }
}
