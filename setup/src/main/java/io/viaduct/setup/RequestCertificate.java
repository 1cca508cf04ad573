package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import java.io.PrintWriter;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `viaduct setup request NAME`: makes the keys of a SNAPT on the machine where it will
/// run, its configuration, and a request for its certificate. The keys never leave the machine.
@Command(
    name = "request",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "On the machine of a SNAPT: makes its keys and its configuration, and a request for its"
          + " certificate, which your operator signs with 'setup sign'.",
      "No key leaves this machine. A later run keeps all files."
    })
final class RequestCertificate extends InstallationCommand {
  @Parameters(paramLabel = "NAME", description = "id of the SNAPT, such as snapt-2")
  private String id = "";

  @Option(
      names = "--host",
      required = true,
      description = "IP address or DNS name that devices connect to; repeat it for further names")
  private List<String> hosts = List.of();

  @Option(names = "--bridge-host", required = true, description = "host of your operator's bridge")
  private String bridge = "";

  @Option(names = "--domain", required = true, description = "your operator's home domain")
  private String domain = "";

  @Option(names = "--port", description = "port for TCP and UDP (default: ${DEFAULT-VALUE})")
  private int port = 443;

  @Option(names = "--region", description = "region of the SNAPT (default: ${DEFAULT-VALUE})")
  private String region = "default";

  @Option(names = "--state", description = "directory for its state; default: beside its files")
  private String state = "";

  @Override
  public Integer call() throws Exception {
    Workplace workplace = workplace();
    Snapt snapt =
        new Snapt(
            id, hosts.stream().distinct().map(HostName::new).toList(), port, "operator", region);
    List<HostName> operators = List.of(new HostName(bridge));
    Installation installation =
        new Installation(
            domain,
            operators,
            operators,
            operators,
            "127.0.0.1",
            List.of(),
            "",
            "",
            state,
            List.of(snapt));
    new ServiceFiles(workplace.directory(), workplace.certificates(), installation)
        .makeRequest(snapt);
    workplace.printFiles(printer());
    printSteps(printer(), workplace, snapt);
    return ExitCode.OK;
  }

  private static void printSteps(PrintWriter out, Workplace workplace, Snapt snapt) {
    byte[] reportKey =
        Ed25519.raw(
            (EdECPublicKey)
                Ed25519.readPair(workplace.directory().path(ServiceFiles.reportKey(snapt)))
                    .getPublic());
    String directory = workplace.path(snapt.id());
    out.printf(
        """

        1. Send %1$s/%2$s.csr to your operator, and this report key; neither is secret:
             %3$s
           Your operator signs and enrols with:
             ./viaduct setup sign %2$s.csr %2$s%4$s
             denarii snapts enrol %2$s --report-key %3$s --owner OWNER
        2. Put the two files that come back, %2$s.pem and ca.pem, into %1$s.
        3. Start it, as root:
             %5$s snapt run --config %1$s/%2$s.yml >>%1$s/log 2>&1 &
        """,
        directory,
        snapt.id(),
        Base64.getEncoder().encodeToString(reportKey),
        snapt.hosts().stream().map(host -> " --host " + host).collect(Collectors.joining()),
        workplace.launcher().command());
    out.flush();
  }
}
