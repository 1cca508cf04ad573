package io.viaduct.billingbench;

import io.viaduct.service.tls.TlsSettings;
import io.viaduct.testbed.pki.RunAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/// The files of one run that all instances of a measured billing share.
///
/// @param root of the clone with the programs
/// @param directory of the database, the log and the key of the credentials
/// @param run directory of what is made anew for each run
/// @param own certificate of the instances
/// @param caller certificate of a bridge
/// @param password of the operator
record BillingFiles(
    Path root, Path directory, Path run, TlsSettings own, TlsSettings caller, String password) {
  /// Makes certificates and the operator's password.
  static BillingFiles make(Path root, Path directory) throws IOException {
    Files.createDirectories(directory);
    Path run = Files.createTempDirectory(directory, "run-");
    RunAuthority authority = new RunAuthority(run, InstantSource.system());
    String password = "operator-" + run.getFileName();
    RunAuthority.secret(run.resolve("operator.password"), password);
    return new BillingFiles(
        root,
        directory,
        run,
        authority.issue("danum-billing", "127.0.0.1"),
        authority.issue("ims-bridge", "127.0.0.1"),
        password);
  }

  /// Returns the directory with the programs of the embedded PostgreSQL.
  Path postgres() {
    return root.resolve("build/postgres");
  }

  /// Returns the file of the operator's password.
  Path passwordFile() {
    return run.resolve("operator.password");
  }
}
