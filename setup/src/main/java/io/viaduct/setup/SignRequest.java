package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import io.viaduct.setup.pki.CertificateRequest;
import io.viaduct.setup.pki.Certificates.Wanted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `viaduct setup sign FILE NAME --host HOST`: issues the certificate of a SNAPT whose
/// keys were made on its own machine. The operator names SNAPT and hosts: a request may not name
/// others.
@Command(
    name = "sign",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Issues the certificate of a SNAPT that has made its keys itself ('setup request').",
      "NAME and --host say what the request must say. Again with the same request, it renews the"
          + " certificate."
    })
final class SignRequest extends InstallationCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "the request, such as snapt-2.csr")
  private Path file = Path.of("");

  @Parameters(index = "1", paramLabel = "NAME", description = "id of the SNAPT, such as snapt-2")
  private String id = "";

  @Option(
      names = "--host",
      required = true,
      description = "IP address or DNS name that devices connect to; repeat it for further names")
  private List<String> hosts = List.of();

  @Override
  public Integer call() throws Exception {
    Workplace workplace = workplace();
    Installation installation = workplace.installation();
    if (!Files.isRegularFile(file)) {
      throw new ConfigurationException(file + ": must be a file with a certificate request");
    }
    CertificateRequest request = CertificateRequest.read(file);
    Snapt wanted =
        new Snapt(
            id, hosts.stream().distinct().map(HostName::new).toList(), 443, "operator", "default");
    requireMatch(request, wanted);
    requireFree(workplace, installation, wanted);
    sign(workplace, wanted, request);
    return ExitCode.OK;
  }

  private void requireMatch(CertificateRequest request, Snapt wanted) {
    if (!request.name().equals(wanted.id())) {
      throw new ConfigurationException(
          "%s: it is the request of '%s', not of '%s': sign only what you have agreed on"
              .formatted(file, request.name(), wanted.id()));
    }
    if (!HostName.same(request.hosts(), wanted.hosts())) {
      throw new ConfigurationException(
          "%s: it names the hosts %s, not %s: name the same with --host, or have it made again"
              .formatted(file, request.hosts(), wanted.hosts()));
    }
  }

  /// Refuses names of others: devices would take the SNAPT for their bridge, or for another SNAPT.
  private static void requireFree(Workplace workplace, Installation installation, Snapt wanted) {
    if (installation.snapt(wanted.id()).isPresent()) {
      throw new ConfigurationException(
          "%s has '%s' with keys of its own: choose another id, or use 'setup renew'"
              .formatted(workplace.path(Installation.FILE), wanted.id()));
    }
    var taken = new ArrayList<HostName>(installation.billingHosts());
    taken.addAll(installation.bridgeHosts());
    taken.addAll(installation.webguiHosts());
    installation.snapts().forEach(each -> taken.addAll(each.hosts()));
    for (HostName host : wanted.hosts()) {
      if (taken.stream().anyMatch(each -> HostName.same(List.of(each), List.of(host)))) {
        throw new ConfigurationException(
            "%s has the host '%s' already: a SNAPT of another machine must not have its name"
                .formatted(workplace.path(Installation.FILE), host));
      }
    }
  }

  private void sign(Workplace workplace, Snapt wanted, CertificateRequest request)
      throws IOException {
    String directory = ServiceFiles.SIGNED + "/" + wanted.id();
    var certificate = new Wanted(directory, wanted.id(), wanted.hosts());
    workplace.certificates().sign(certificate, request.key());
    workplace.printFiles(printer());
    printer()
        .printf(
            """

            The certificate ends on %s. The SNAPT asks for the next one before, by the bridge.
            Send %s.pem and ca.pem of %s to the SNAPT's machine; neither is secret.
            Then 'denarii snapts enrol %s' with the report key that came with the request.
            """,
            workplace.certificates().end(certificate.certificate()),
            wanted.id(),
            workplace.path(directory),
            wanted.id());
    printer().flush();
  }
}
