package io.viaduct.setup;

import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import io.viaduct.setup.pki.Certificates;
import io.viaduct.setup.pki.Certificates.Wanted;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Prints the next steps for an installation: the services to start on each machine, the page, the
/// log-in, the firewall, backups, and the end of the certificates.
final class Steps {
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd").withZone(ZoneOffset.UTC);

  private final Workplace workplace;
  private final Installation installation;
  private final String viaduct;

  /// A process of the installation.
  ///
  /// @param program name of the launcher's program
  /// @param service name of its directory
  private record Process(String program, String service, HostName host) {}

  Steps(Workplace workplace, Installation installation) {
    this.workplace = workplace;
    this.installation = installation;
    this.viaduct = workplace.launcher().command();
  }

  void print(PrintWriter out, boolean showPassword) throws IOException {
    out.println();
    printStart(out);
    printUse(out, showPassword);
    printFirewall(out);
    printBackups(out);
    printCertificates(out);
    out.flush();
  }

  private List<Process> processes() {
    var all = new ArrayList<Process>();
    all.add(
        new Process("danum-billing", ServiceFiles.BILLING, installation.billingHosts().getFirst()));
    all.add(new Process("ims-bridge", ServiceFiles.BRIDGE, installation.bridgeHosts().getFirst()));
    installation.snapts().forEach(each -> all.add(process(each)));
    all.add(new Process("webgui", ServiceFiles.WEBGUI, installation.webguiHosts().getFirst()));
    return all;
  }

  private static Process process(Snapt snapt) {
    return new Process("snapt", snapt.id(), snapt.hosts().getFirst());
  }

  private void printStart(PrintWriter out) {
    Map<HostName, List<Process>> machines =
        processes().stream()
            .collect(Collectors.groupingBy(Process::host, LinkedHashMap::new, Collectors.toList()));
    machines.forEach((host, processes) -> {
      out.printf("Start on %s:%n", host);
      if (machines.size() > 1) {
        printCopies(out, processes);
      }
      if (processes.stream().anyMatch(each -> each.program.equals("danum-billing"))
          && !installation.databaseUrl().isEmpty()) {
        out.printf(
            "  # first, in your PostgreSQL: the role '%s' with the password in %s and its database,"
                + " and the role '%s' with the password in %s%n",
            installation.databaseOwner(),
            workplace.path(ServiceFiles.DATABASE_OWNER_PASSWORD),
            installation.databaseUser(),
            workplace.path(ServiceFiles.DATABASE_PASSWORD));
      }
      processes.forEach(each -> out.println("  " + start(each)));
    });
    out.printf(
        """
        Or with systemd, for good, as root on each machine (%1$s/systemd has a unit per service):
          useradd --system --no-create-home --shell /usr/sbin/nologin viaduct
          chmod 711 %1$s && chown -R viaduct: %2$s%4$s
          cp %1$s/systemd/*.service /etc/systemd/system/ && systemctl daemon-reload && systemctl enable --now %3$s
        """,
        workplace.root(),
        processes().stream()
            .map(each -> workplace.path(each.service))
            .collect(Collectors.joining(" ")),
        processes().stream()
            .map(each -> "viaduct-" + each.service)
            .collect(Collectors.joining(" ")),
        installation.state().isEmpty()
            ? ""
            : " && install -d -o viaduct -g viaduct -m 700 "
                + processes().stream()
                    .map(each -> installation.state() + "/" + each.service)
                    .collect(Collectors.joining(" ")));
    out.println();
  }

  private void printCopies(PrintWriter out, List<Process> processes) {
    out.printf(
        "  # this machine needs a built checkout of Viaduct, and copies of: %s%n",
        processes.stream()
            .map(each -> workplace.path(each.service))
            .collect(Collectors.joining(", ")));
  }

  /// Returns the command that starts a SNAPT.
  String start(Snapt snapt) {
    return start(process(snapt));
  }

  private String start(Process process) {
    String directory = workplace.path(process.service);
    String sudo =
        process.program.equals("snapt") && !"root".equals(System.getProperty("user.name"))
            ? "sudo "
            : "";
    return "%s%s %s run --config %s/%s.yml >>%s/log 2>&1 &"
        .formatted(sudo, viaduct, process.program, directory, process.service, directory);
  }

  /// Prints the commands that make a running service reload its configuration. The bracket in the
  /// pattern prevents pkill from finding its own shell.
  void printReload(PrintWriter out, String service) {
    String file = workplace.path(service) + "/" + service + ".yml";
    out.printf("     pkill -HUP -f 'run --config [%s]%s'%n", file.charAt(0), file.substring(1));
    out.println("     or: systemctl reload viaduct-" + service);
  }

  private void printUse(PrintWriter out, boolean showPassword) throws IOException {
    String listen =
        installation.pageListen().equals("127.0.0.1")
            ? "127.0.0.1"
            : installation.webguiHosts().getFirst().inUrl();
    out.printf("Page      http://%s:8080/ on %s%n", listen, installation.webguiHosts().getFirst());
    if (listen.equals("127.0.0.1")) {
      out.printf(
          "          from another machine: ssh -L 8080:127.0.0.1:8080 %s; for the public: a TLS proxy in"
              + " front%n",
          installation.webguiHosts().getFirst());
    }
    out.printf(
        "Log-in    operator, %s%n",
        showPassword
            ? workplace.directory().read(ServiceFiles.OPERATOR_PASSWORD).strip()
            : "password in " + workplace.path(ServiceFiles.OPERATOR_PASSWORD));
    out.printf("A user    %s setup user alice%s%n", viaduct, workplace.outOption());
    out.printf("A SNAPT   %s setup snapt snapt-2 --host HOST%s%n", viaduct, workplace.outOption());
    out.println();
  }

  private void printFirewall(PrintWriter out) {
    out.println("Open in the firewall:");
    for (Snapt snapt : installation.snapts()) {
      out.printf(
          "  %-20s %d/tcp, %d/udp, 80/tcp   from devices%n",
          snapt.hosts().getFirst(), snapt.port(), snapt.port());
    }
    out.printf("  %-20s 5060/udp, 5060/tcp from devices%n", installation.bridgeHosts().getFirst());
    List<String> remote =
        installation.snapts().stream()
            .filter(each -> !installation.isWithBridge(each))
            .map(each -> each.hosts().getFirst().text())
            .toList();
    if (!remote.isEmpty()) {
      out.printf(
          "  %-20s 7443/tcp           from %s%n",
          installation.bridgeHosts().getFirst(), String.join(", ", remote));
    }
    if (!installation.bridgeIsWithBilling()) {
      out.printf(
          "  %-20s 9443/tcp           from %s%n",
          installation.billingHosts().getFirst(), installation.bridgeHosts().getFirst());
    }
    if (!installation.webguiIsWithBilling()) {
      out.printf(
          "  %-20s 8082/tcp           from %s only: plain HTTP%n",
          installation.billingHosts().getFirst(), installation.webguiHosts().getFirst());
    }
    if (!installation.webguiIsWithBridge()) {
      out.printf(
          "  %-20s 8081/tcp           from %s only: plain HTTP%n",
          installation.bridgeHosts().getFirst(), installation.webguiHosts().getFirst());
    }
    out.println("  Close all other ports to the outside.");
    out.println();
  }

  private void printBackups(PrintWriter out) {
    String ledger =
        installation.databaseUrl().isEmpty()
            ? (installation.state().isEmpty()
                    ? workplace.path(ServiceFiles.BILLING + "/database")
                    : installation.state() + "/" + ServiceFiles.BILLING)
                + ": stop billing, copy it, start billing"
            : "your PostgreSQL: pg_dump";
    out.printf(
        """
        Back up   %s, offline: its key signs every certificate; no service needs it
                  the rest of %s: keys and configuration
                  the ledger, in %s
        """,
        workplace.path("authority"), workplace.root(), ledger);
    out.println();
  }

  private void printCertificates(PrintWriter out) throws IOException {
    Certificates certificates = workplace.certificates();
    Instant first = certificates.end(Certificates.AUTHORITY);
    for (Wanted wanted : ServiceFiles.certificates(installation)) {
      Instant end = certificates.end(wanted.certificate());
      first = end.isBefore(first) ? end : first;
      List<HostName> unnamed = certificates.unnamed(wanted);
      if (!unnamed.isEmpty()) {
        out.printf(
            "Attention: %s does not name %s: %s setup renew%s%n",
            workplace.path(wanted.certificate()), unnamed, viaduct, workplace.outOption());
      }
    }
    out.printf(
        "Certificates end on %s, the authority's on %s. From %s on: %s setup renew%s%n",
        DAY.format(first),
        DAY.format(certificates.end(Certificates.AUTHORITY)),
        DAY.format(first.minus(Renew.DEFAULT_WITHIN)),
        viaduct,
        workplace.outOption());
  }
}
