package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.files.SetupDirectory.Entry;
import io.viaduct.setup.files.SetupDirectory.Outcome;
import io.viaduct.setup.files.YamlText;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `viaduct setup snapt NAME --host HOST`: makes the directory of a further SNAPT, and
/// adds the SNAPT to billing's configuration, which enrols it.
@Command(
    name = "snapt",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Adds a SNAPT: keys, certificate, configuration, and its entry in billing's configuration,"
            + " which enrols it.")
final class AddSnapt extends InstallationCommand {
  @Parameters(paramLabel = "NAME", description = "id of the SNAPT, such as snapt-2")
  private String id = "";

  @Option(
      names = "--host",
      required = true,
      description = "IP address or DNS name that devices connect to; repeat it for further names")
  private List<String> hosts = List.of();

  @Option(names = "--port", description = "port for TCP and UDP (default: ${DEFAULT-VALUE})")
  private int port = 443;

  @Option(
      names = "--owner",
      description = "account that earns the SNAPT's share of charges (default: ${DEFAULT-VALUE})")
  private String owner = "operator";

  @Option(names = "--region", description = "region of the SNAPT (default: ${DEFAULT-VALUE})")
  private String region = "default";

  @Override
  public Integer call() throws Exception {
    Workplace workplace = workplace();
    Installation before = workplace.installation();
    Snapt requested = requested();
    Installation after = before;
    Optional<Snapt> existing = before.snapt(id);
    if (existing.isEmpty()) {
      after =
          before.withSnapts(Stream.concat(before.snapts().stream(), Stream.of(requested)).toList());
      String text = workplace.directory().read(Installation.FILE);
      workplace
          .directory()
          .replace(
              Installation.FILE,
              YamlText.append(
                  workplace.path(Installation.FILE), text, "snapts", requested.entry()));
    } else if (!existing.get().equals(requested)) {
      throw new ConfigurationException(
          "%s already has a different '%s': %s; choose another name, or change that file and run 'setup renew'"
              .formatted(workplace.path(Installation.FILE), id, existing.get().entry()));
    }
    workplace.make(after);
    workplace.printFiles(printer());
    printSteps(printer(), workplace, after, requested);
    return ExitCode.OK;
  }

  private Snapt requested() {
    return new Snapt(
        id, hosts.stream().distinct().map(HostName::new).toList(), port, owner, region);
  }

  private static void printSteps(
      PrintWriter out, Workplace workplace, Installation installation, Snapt snapt)
      throws IOException {
    var steps = new Steps(workplace, installation);
    String host = snapt.hosts().getFirst().text();
    out.println();
    if (changed(workplace, ServiceFiles.BILLING_CONFIGURATION)) {
      out.printf(
          "1. Make billing on %s reload its configuration; its log confirms the enrolment:%n",
          installation.billingHosts().getFirst());
      steps.printReload(out, ServiceFiles.BILLING);
    } else {
      out.println(
          "1. Billing's configuration already has this SNAPT; billing must have loaded it"
              + " (SIGHUP or a start).");
    }
    out.printf(
        "2. Copy %s to %s, which needs a built checkout of Viaduct:%n",
        workplace.path(snapt.id()), host);
    out.printf(
        "     scp -rp %s root@%s:%n", workplace.path(snapt.id()), snapt.hosts().getFirst().inUrl());
    out.printf(
        "3. Start it there, as root:%n     ./viaduct snapt run --config ~/%1$s/%1$s.yml"
            + " >>~/%1$s/log 2>&1 &%n",
        snapt.id());
    out.printf(
        "4. Open %d/tcp and %d/udp on %s for devices, and 7443/tcp on %s for %s.%n",
        snapt.port(), snapt.port(), host, installation.bridgeHosts().getFirst(), host);
    out.flush();
  }

  private static boolean changed(Workplace workplace, String file) {
    return workplace.directory().entries().contains(new Entry(Outcome.CHANGED, file));
  }
}
