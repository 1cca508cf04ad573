package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.files.SetupDirectory.Entry;
import io.viaduct.setup.files.SetupDirectory.Fate;
import io.viaduct.setup.files.YamlText;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/// `viaduct setup snapt NAME --host HOST`: makes the directory of a further SNAPT, and enters it
/// into the bridge's configuration.
@Command(
    name = "snapt",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Adds a SNAPT: keys, certificate, configuration, and its entry in the bridge's"
            + " configuration.")
final class AddSnapt implements Callable<Integer> {
  @ParentCommand private @Nullable SetupCommand setup;

  @Parameters(paramLabel = "NAME", description = "its identity, such as snapt-2")
  private String id = "";

  @Option(
      names = "--host",
      required = true,
      description = "IP address or DNS name, as devices dial it; repeat it for further names")
  private List<String> hosts = List.of();

  @Option(names = "--port", description = "TCP and UDP (default: ${DEFAULT-VALUE})")
  private int port = 443;

  @Option(names = "--owner", description = "earns its share of charges (default: ${DEFAULT-VALUE})")
  private String owner = "operator";

  @Option(names = "--region", description = "(default: ${DEFAULT-VALUE})")
  private String region = "default";

  @Option(
      names = "--out",
      description = "directory of the installation (default: ${DEFAULT-VALUE})")
  private Path out = Path.of(Workplace.DEFAULT_DIRECTORY);

  @Override
  public Integer call() throws Exception {
    SetupCommand parent = Objects.requireNonNull(setup);
    Workplace workplace = parent.workplace(out);
    Installation before = workplace.installation();
    Snapt asked = asked();
    Installation after = before;
    Optional<Snapt> present = before.snapt(id);
    if (present.isEmpty()) {
      after = before.withSnapts(Stream.concat(before.snapts().stream(), Stream.of(asked)).toList());
      String text = workplace.directory().read(Installation.FILE);
      workplace
          .directory()
          .replace(
              Installation.FILE,
              YamlText.append(workplace.path(Installation.FILE), text, "snapts", asked.entry()));
    } else if (!present.get().equals(asked)) {
      throw new ConfigurationException(
          "%s has another '%s': %s; choose another name, or change that file and run 'setup renew'"
              .formatted(workplace.path(Installation.FILE), id, present.get().entry()));
    }
    workplace.make(after);
    workplace.printFiles(parent.out());
    printSteps(parent.out(), workplace, after, asked);
    return ExitCode.OK;
  }

  private Snapt asked() {
    return new Snapt(
        id, hosts.stream().distinct().map(HostName::new).toList(), port, owner, region);
  }

  private static void printSteps(
      PrintWriter out, Workplace workplace, Installation installation, Snapt snapt)
      throws IOException {
    var steps = new Steps(workplace, installation);
    String host = snapt.hosts().getFirst().text();
    out.println();
    if (changed(workplace, ServiceFiles.BRIDGE_CONFIGURATION)) {
      out.printf(
          "1. The bridge reads its list of SNAPTs at its start. Start it again on %s; sessions"
              + " stay:%n",
          installation.bridgeHosts().getFirst());
      steps.printRestart(out, "ims-bridge", ServiceFiles.BRIDGE);
    } else {
      out.println(
          "1. The bridge's configuration knows it already; the bridge must have been started"
              + " since.");
    }
    if (changed(workplace, ServiceFiles.BILLING_CONFIGURATION)) {
      out.printf("   Billing too, for the owner '%s':%n", snapt.owner());
      steps.printRestart(out, "danum-billing", ServiceFiles.BILLING);
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
    return workplace.directory().entries().contains(new Entry(Fate.CHANGED, file));
  }
}
