package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.pki.Certificates;
import io.viaduct.setup.pki.Certificates.Wanted;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command `viaduct setup renew`: issues new certificates for those that end soon, and for
/// those whose hosts have changed in `setup.yml`. The keys stay the same, so a service needs no
/// other file.
@Command(
    name = "renew",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Renews certificates that end soon or that do not name the hosts of setup.yml.")
final class Renew extends InstallationCommand {
  static final Duration DEFAULT_WITHIN = Duration.ofDays(30);

  // Devices must get the next authority's certificate before the present one ends.
  private static final Duration AUTHORITY_WITHIN = Duration.ofDays(730);

  @Option(
      names = "--within",
      paramLabel = "DAYS",
      description = "renew certificates that end within this many days (default: ${DEFAULT-VALUE})")
  private int days = (int) DEFAULT_WITHIN.toDays();

  @Override
  public Integer call() throws Exception {
    Workplace workplace = workplace();
    Installation installation = workplace.installation();
    Certificates certificates = workplace.certificates();
    Instant before = workplace.now().plus(Duration.ofDays(days));
    PrintWriter printer = printer();
    String trusted = workplace.directory().read(Certificates.AUTHORITY);
    if (certificates.renewAuthority(
        installation.domain(), workplace.now().plus(AUTHORITY_WITHIN))) {
      replaceTrust(workplace, trusted, printer);
    }
    for (Wanted wanted : ServiceFiles.certificates(installation)) {
      boolean renewed = certificates.renew(wanted, before);
      printer.printf(
          "%-8s%s, ends %s%n",
          renewed ? "renewed" : "kept",
          workplace.path(wanted.certificate()),
          certificates.end(wanted.certificate()));
      if (renewed) { // a reload (SIGHUP) keeps open connections
        printer.printf(
            "          copy it to %s of the machine %s; then there: systemctl reload viaduct-%s%n",
            wanted.name() + ".pem", wanted.hosts().getFirst(), wanted.name());
      }
    }
    printer.printf("authority ends %s%n", certificates.end(Certificates.AUTHORITY));
    printer.flush();
    return ExitCode.OK;
  }

  /// Replaces the authority's certificate in the directory of every service and device that has the
  /// present one.
  private static void replaceTrust(Workplace workplace, String trusted, PrintWriter printer)
      throws IOException {
    SetupDirectory directory = workplace.directory();
    String next = directory.read(Certificates.AUTHORITY);
    printer.printf(
        "renewed %s; copy it to the machines that have these:%n",
        workplace.path(Certificates.AUTHORITY));
    for (String file : directory.named("ca.pem")) {
      if (directory.read(file).equals(trusted)) {
        directory.replace(file, next);
        printer.printf("          %s%n", workplace.path(file));
      }
    }
  }
}
