package io.viaduct.setup;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.files.SetupDirectory.Entry;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.pki.Certificates;
import io.viaduct.setup.users.BillingClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// The files and helpers of one run of setup on one installation.
final class Workplace {
  static final String DEFAULT_DIRECTORY = "installation";

  private final Path root;
  private final Launcher launcher;
  private final Instant now;
  private final SetupDirectory directory;
  private final Certificates certificates;

  /// @param root directory of the installation
  /// @param now begin of the validity of new certificates
  Workplace(Path root, Launcher launcher, Instant now) {
    this.root = root;
    this.launcher = launcher;
    this.now = now;
    this.directory = new SetupDirectory(root);
    this.certificates = new Certificates(directory, now);
  }

  /// Returns the installation, or empty if there is none.
  Optional<Installation> present() {
    return directory.has(Installation.FILE)
        ? Optional.of(ConfigurationFile.load(directory.path(Installation.FILE), Installation.class))
        : Optional.empty();
  }

  /// Returns the installation.
  ///
  /// @throws ConfigurationException if there is none
  Installation installation() {
    return present()
        .orElseThrow(() ->
            new ConfigurationException(
                "%s is missing: make the installation first: %s setup --domain DOMAIN --host HOST --out %s"
                    .formatted(directory.path(Installation.FILE), launcher.command(), root)));
  }

  /// Makes all missing files of an installation.
  void make(Installation installation) throws IOException {
    directory.make(Installation.FILE, installation::text);
    new ServiceFiles(directory, certificates, installation).make();
    new SystemdUnits(directory, launcher, installation).make(installation);
  }

  /// Prints the result for each file.
  void printFiles(PrintWriter out) {
    for (Entry entry : directory.entries()) {
      out.printf("%-8s%s%n", entry.outcome().name().toLowerCase(Locale.ROOT), path(entry.file()));
    }
    out.flush();
  }

  /// Returns the path of a file as typed in the working directory.
  String path(String file) {
    return root.resolve(file).toString();
  }

  /// Returns a client for billing at an address.
  BillingClient billing(URI address) {
    return new BillingClient(address, System::nanoTime);
  }

  /// Returns ` --out DIRECTORY`, or "" for the default directory.
  String outOption() {
    return root.toString().equals(DEFAULT_DIRECTORY) ? "" : " --out " + root;
  }

  Path root() {
    return root;
  }

  Launcher launcher() {
    return launcher;
  }

  Instant now() {
    return now;
  }

  SetupDirectory directory() {
    return directory;
  }

  Certificates certificates() {
    return certificates;
  }
}
