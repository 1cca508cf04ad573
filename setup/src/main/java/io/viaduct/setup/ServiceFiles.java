package io.viaduct.setup;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.setup.files.Passwords;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.files.YamlText;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import io.viaduct.setup.pki.Certificates;
import io.viaduct.setup.pki.Certificates.Wanted;
import io.viaduct.setup.pki.Pem;
import java.io.IOException;
import java.security.interfaces.EdECPublicKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/// Makes the files of each service. Each service has one directory with all its files and no
/// others. A configuration has only the keys that differ from the service's defaults; its paths are
/// relative to it.
final class ServiceFiles {
  static final String BILLING = "danum-billing";
  static final String BRIDGE = "ims-bridge";
  static final String WEBGUI = "webgui";

  /// Directory of certificates for SNAPTs that have made their keys themselves.
  static final String SIGNED = "signed";

  static final String BILLING_CONFIGURATION = BILLING + "/danum-billing.yml";
  static final String BRIDGE_CONFIGURATION = BRIDGE + "/ims-bridge.yml";
  static final String WEBGUI_CONFIGURATION = WEBGUI + "/webgui.yml";
  static final String DATABASE_PASSWORD = BILLING + "/database.password";
  static final String DATABASE_OWNER_PASSWORD = BILLING + "/database-owner.password";
  static final String OPERATOR_PASSWORD = BILLING + "/operator.password";

  private static final List<HostName> LOOPBACK =
      Stream.of("localhost", "127.0.0.1", "::1").map(HostName::new).toList();
  private static final String SNAPTS = "snapts";
  private static final String DEFAULT_REGION = "default";
  private static final int DEFAULT_PORT = 443;

  private final SetupDirectory directory;
  private final Certificates certificates;
  private final Installation installation;

  ServiceFiles(SetupDirectory directory, Certificates certificates, Installation installation) {
    this.directory = directory;
    this.certificates = certificates;
    this.installation = installation;
  }

  /// Returns the certificates that the services need.
  static List<Wanted> certificates(Installation installation) {
    var wanted = new ArrayList<Wanted>();
    // Processes on one host connect over loopback, because a host behind a NAT may not reach its
    // own public address.
    wanted.add(new Wanted(BILLING, BILLING, withLoopback(installation.billingHosts())));
    wanted.add(new Wanted(BRIDGE, BRIDGE, withLoopback(installation.bridgeHosts())));
    installation.snapts().forEach(each -> wanted.add(certificate(each)));
    return wanted;
  }

  static Wanted certificate(Snapt snapt) {
    return new Wanted(snapt.id(), snapt.id(), snapt.hosts());
  }

  private static List<HostName> withLoopback(List<HostName> hosts) {
    return Stream.concat(hosts.stream(), LOOPBACK.stream()).distinct().toList();
  }

  /// Makes all missing files.
  void make() throws IOException {
    certificates.makeAuthority(installation.domain());
    makeBilling();
    makeBridge();
    makeWebgui();
    for (Snapt snapt : installation.snapts()) {
      makeSnapt(snapt);
    }
  }

  private void makeTls(String service) throws IOException {
    for (Wanted wanted : certificates(installation)) {
      if (wanted.name().equals(service)) {
        certificates.make(wanted);
      }
    }
    makeTrust(service);
  }

  private void makeTrust(String service) throws IOException {
    directory.make(service + "/ca.pem", () -> directory.read(Certificates.AUTHORITY));
  }

  private void makeBilling() throws IOException {
    makeTls(BILLING);
    directory.make(OPERATOR_PASSWORD, Passwords::drawLine);
    directory.make(BILLING + "/credentials.key", Passwords::drawKeyLine);
    if (hasOwnDatabase()) {
      directory.make(DATABASE_PASSWORD, Passwords::drawLine);
      directory.make(DATABASE_OWNER_PASSWORD, Passwords::drawLine);
      // The database server runs as another user than billing, and reads these copies.
      directory.makeReadable("database/password", () -> directory.read(DATABASE_PASSWORD));
      directory.makeReadable(
          "database/owner.password", () -> directory.read(DATABASE_OWNER_PASSWORD));
    }
    for (Snapt snapt : installation.snapts()) {
      makeEd25519(reportKey(snapt));
    }
    directory.make(BILLING_CONFIGURATION, this::billing);
    for (Snapt snapt : installation.snapts()) {
      addSnapt(BILLING_CONFIGURATION, snapt);
    }
  }

  private boolean hasOwnDatabase() {
    return !installation.databaseUrl().isEmpty();
  }

  private String billing() {
    var text = new StringBuilder(header(BILLING));
    if (!installation.bridgeIsWithBilling()) {
      text.append("# The bridge connects from another host.\ngrpc: {host: 0.0.0.0}\n");
    }
    if (!installation.webguiIsWithBilling()) {
      text.append(
              "# The pages ask from another host, by plain HTTP: keep the network between them"
                  + " private.\n")
          .append("# trusted-proxies: their X-Forwarded-For names the visitor.\n")
          .append("rest: {host: 0.0.0.0, trusted-proxies: %s}\n".formatted(proxies()));
    }
    text.append(tls(BILLING));
    text.append("operator: {password-file: operator.password}\n");
    text.append("# credentials: the key that encrypts the digests of SIP passwords.\n");
    text.append(
        "sip-domain: %s\ncredentials: {key-file: credentials.key}\n"
            .formatted(installation.domain()));
    text.append(
        hasOwnDatabase()
            ? """
            # user bills, and can only add posted rows; owner-user owns the tables and migrates them.
            database:
              url: %s
              user: %s
              password-file: database.password
              owner-user: %s
              owner-password-file: database-owner.password
            """
                .formatted(
                    YamlText.quoted(installation.databaseUrl()),
                    YamlText.quoted(installation.databaseUser()),
                    YamlText.quoted(installation.databaseOwner()))
            : "# Billing runs its own PostgreSQL; the ledger is in this directory.\ndatabase: {data-directory: %s}\n"
                .formatted(state(BILLING, "database")));
    text.append(
        "# SNAPTs to enrol, each once; then `denarii snapts` has them. `viaduct setup snapt` adds one.\n"
            + "snapts: []\n");
    return text.toString();
  }

  /// Returns the addresses that the pages connect from: those of their hosts, and the networks that
  /// the operator named.
  private String proxies() {
    Stream<String> hosts =
        installation.webguiHosts().stream().filter(HostName::isAddress).map(HostName::text);
    Stream<String> usual = Stream.of("127.0.0.0/8", "::1");
    return YamlText.list(
        Stream.of(usual, hosts, installation.trustedProxies().stream())
            .flatMap(each -> each)
            .toList());
  }

  private void makeBridge() throws IOException {
    makeTls(BRIDGE);
    makeEd25519(BRIDGE + "/token.key");
    directory.make(BRIDGE + "/bridges.key", Passwords::drawKeyLine);
    directory.make(BRIDGE + "/rest.token", Passwords::drawLine);
    directory.make(BRIDGE_CONFIGURATION, this::bridge);
  }

  /// Adds a SNAPT to the list of an existing configuration, unless it is there.
  private void addSnapt(String file, Snapt snapt) throws IOException {
    String text = directory.read(file);
    if (!YamlText.ids(text, SNAPTS).contains(snapt.id())) {
      String where = directory.path(file).toString();
      directory.replace(file, YamlText.append(where, text, SNAPTS, enrolment(snapt)));
    }
  }

  private String bridge() {
    var text = new StringBuilder(header(BRIDGE));
    text.append("domain: ").append(installation.domain()).append('\n');
    text.append(
        installation.webguiIsWithBridge()
            ? "rest: {token-file: rest.token}\n"
            : "# The pages ask from another host, by plain HTTP: keep the network between them"
                + " private.\n"
                + "rest: {host: 0.0.0.0, token-file: rest.token}\n");
    text.append(
        "billing: {host: %s}\n"
            .formatted(hostOf(installation.bridgeIsWithBilling(), installation.billingHosts())));
    text.append(tls(BRIDGE));
    text.append("# The key that signs session tokens.\ntoken: {signing-key: token.key}\n");
    text.append("# The key of nonces, for all bridges if there are several.\n")
        .append("bridges: {key-file: bridges.key}\n");
    text.append("# The copy of the users, for a start while billing is away.\nstate: ")
        .append(state(BRIDGE, "state"))
        .append('\n');
    return text.toString();
  }

  /// Returns the entry of `snapts` in billing's configuration.
  private String enrolment(Snapt snapt) {
    byte[] key =
        Ed25519.raw((EdECPublicKey) Ed25519.readPair(directory.path(reportKey(snapt))).getPublic());
    return "{id: %s, report-key: \"%s\", owner: %s, region: %s}"
        .formatted(
            YamlText.quoted(snapt.id()),
            Base64.getEncoder().encodeToString(key),
            YamlText.quoted(snapt.owner()),
            YamlText.quoted(snapt.region()));
  }

  private void makeWebgui() throws IOException {
    directory.make(WEBGUI + "/bridge.token", () -> directory.read(BRIDGE + "/rest.token"));
    directory.make(WEBGUI_CONFIGURATION, this::webgui);
  }

  private String webgui() {
    String http =
        installation.pageListen().equals("127.0.0.1")
            ? "# The pages are served on loopback: put a TLS proxy in front, and then set `http:"
                + " {secure-cookies: true}`.\n"
            : "http: {host: %s}\n".formatted(YamlText.quoted(installation.pageListen()));
    return header(WEBGUI)
        + http
        + "billing: {url: \"http://%s:8082\"}\n"
            .formatted(url(installation.webguiIsWithBilling(), installation.billingHosts()))
        + "bridge: {url: \"http://%s:8081\", token-file: bridge.token}\n"
            .formatted(url(installation.webguiIsWithBridge(), installation.bridgeHosts()))
        + "# Where telephones reach the bridge: the page User tells them.\n"
        + "telephones: {server: %s}\n"
            .formatted(YamlText.quoted(installation.bridgeHosts().getFirst().inUrl()));
  }

  private void makeSnapt(Snapt snapt) throws IOException {
    makeTls(snapt.id());
    makeEd25519(reportKey(snapt));
    directory.make(configuration(snapt), () -> snapt(snapt));
  }

  /// Makes the files of a SNAPT whose certificate an authority elsewhere issues: all but `ca.pem`
  /// and the certificate.
  void makeRequest(Snapt snapt) throws IOException {
    certificates.makeRequest(certificate(snapt));
    makeEd25519(reportKey(snapt));
    directory.make(configuration(snapt), () -> snapt(snapt));
  }

  private String snapt(Snapt snapt) {
    var text = new StringBuilder(header("snapt-server"));
    text.append("id: ").append(YamlText.quoted(snapt.id())).append('\n');
    if (!snapt.region().equals(DEFAULT_REGION)) {
      text.append("region: ").append(YamlText.quoted(snapt.region())).append('\n');
    }
    text.append(
        "# Holds open intervals and reports that wait for the bridge.\nstate: %s\n"
            .formatted(state(snapt.id(), "state")));
    text.append(tls(snapt.id()));
    String host = YamlText.quoted(snapt.hosts().getFirst().text());
    text.append("# Devices connect to this name; the certificate must name it.\n");
    text.append(
        snapt.port() == DEFAULT_PORT
            ? "control: {host: %s}\n".formatted(host)
            : "control: {host: %1$s, port: %2$d}\ndata: {port: %2$d}\n"
                .formatted(host, snapt.port()));
    text.append(
        "reporting: {bridge-host: %s, report-key: report.key}\n"
            .formatted(hostOf(installation.isWithBridge(snapt), installation.bridgeHosts())));
    return text.toString();
  }

  static String configuration(Snapt snapt) {
    return snapt.id() + "/" + snapt.id() + ".yml";
  }

  static String reportKey(Snapt snapt) {
    return snapt.id() + "/report.key";
  }

  private void makeEd25519(String file) throws IOException {
    directory.make(file, () -> Pem.text(Ed25519.generate().getPrivate()));
  }

  private String state(String service, String own) {
    return installation.state().isEmpty()
        ? own
        : YamlText.quoted(installation.state() + "/" + service);
  }

  private static String hostOf(boolean together, List<HostName> hosts) {
    return together ? "127.0.0.1" : YamlText.quoted(hosts.getFirst().text());
  }

  private static String url(boolean together, List<HostName> hosts) {
    return together ? "127.0.0.1" : hosts.getFirst().inUrl();
  }

  private static String tls(String name) {
    return "tls: {certificate: %1$s.pem, private-key: %1$s.key, trust: ca.pem}\n".formatted(name);
  }

  private String header(String module) {
    return """
    # %s of %s, made by `viaduct setup`: the keys that differ from the defaults.
    # All keys: %s/README.md. File names are relative to this file.
    """
        .formatted(module, installation.domain(), module);
  }
}
