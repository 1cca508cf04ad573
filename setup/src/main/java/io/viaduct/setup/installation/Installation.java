package io.viaduct.setup.installation;

import io.viaduct.setup.files.YamlText;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The facts of an installation: the file `setup.yml`, which the first run writes and the later
/// ones read. In each list of hosts the first is the one that peers dial; certificates name all.
///
/// @param domain home domain of the users
/// @param billingHosts where danum-billing runs
/// @param bridgeHosts where ims-bridge runs
/// @param webguiHosts where webgui runs
/// @param pageListen address that the pages are served on
/// @param trustedProxies addresses and networks that the pages ask billing from, beside the
///   addresses of `webgui-hosts`
/// @param databaseUrl JDBC address of a PostgreSQL; empty: billing runs its own
/// @param databaseUser role in that PostgreSQL
/// @param state directory below which services keep their state; empty: beside their configuration
/// @param snapts the relays
public record Installation(
    String domain,
    List<HostName> billingHosts,
    List<HostName> bridgeHosts,
    List<HostName> webguiHosts,
    String pageListen,
    List<String> trustedProxies,
    String databaseUrl,
    String databaseUser,
    String state,
    List<Snapt> snapts) {
  /// Name of the file.
  public static final String FILE = "setup.yml";

  private static final String NAME = "[A-Za-z0-9._-]{1,64}";
  // These directories of an installation belong to something else.
  private static final Set<String> TAKEN =
      Set.of("authority", "danum-billing", "database", "ims-bridge", "systemd", "users", "webgui");

  public Installation {
    require(
        domain.matches("(?=.{1,253}$)[a-z0-9-]+(\\.[a-z0-9-]+)*"),
        "domain must be a domain name in lower case, such as operator.example",
        domain);
    billingHosts = atLeastOne("billing-hosts", billingHosts);
    bridgeHosts = atLeastOne("bridge-hosts", bridgeHosts);
    webguiHosts = atLeastOne("webgui-hosts", webguiHosts);
    new HostName(pageListen);
    require(
        databaseUrl.isEmpty() || databaseUrl.startsWith("jdbc:postgresql:"),
        "database-url must begin with jdbc:postgresql:",
        databaseUrl);
    require(state.isEmpty() || state.startsWith("/"), "state must be an absolute path", state);
    trustedProxies = List.copyOf(trustedProxies);
    snapts = List.copyOf(snapts);
    Set<String> ids = new HashSet<>();
    Set<HostName> hosts = new HashSet<>();
    for (Snapt snapt : snapts) {
      require(ids.add(snapt.id), "snapts must have different ids", snapt.id);
      for (HostName host : snapt.hosts) {
        require(hosts.add(host), "a machine has one SNAPT: hosts must differ between snapts", host);
      }
    }
  }

  /// One relay.
  ///
  /// @param id its identity: common name of its certificate, name of its directory
  /// @param hosts where devices reach it
  /// @param port of the control connection (TCP) and of the data (UDP)
  /// @param owner earns the provider's share of its charges
  public record Snapt(String id, List<HostName> hosts, int port, String owner, String region) {
    public Snapt {
      require(id.matches(NAME) && !id.startsWith("."), "a SNAPT's id must match " + NAME, id);
      require(!TAKEN.contains(id), "a SNAPT's id must differ from a service's name", id);
      hosts = atLeastOne("hosts", hosts);
      require(port >= 1 && port <= 65_535, "port must be 1..65535", port);
      require(owner.matches(NAME), "owner must match " + NAME, owner);
      require(region.matches(NAME), "region must match " + NAME, region);
    }

    /// Returns the entry of `snapts` in `setup.yml`.
    public String entry() {
      return "{id: %s, hosts: %s, port: %d, owner: %s, region: %s}"
          .formatted(
              YamlText.quoted(id),
              YamlText.list(hosts),
              port,
              YamlText.quoted(owner),
              YamlText.quoted(region));
    }
  }

  /// Returns the relay with this id.
  public Optional<Snapt> snapt(String id) {
    return snapts.stream().filter(each -> each.id.equals(id)).findFirst();
  }

  /// Returns this installation with other relays.
  public Installation withSnapts(List<Snapt> others) {
    return new Installation(
        domain,
        billingHosts,
        bridgeHosts,
        webguiHosts,
        pageListen,
        trustedProxies,
        databaseUrl,
        databaseUser,
        state,
        others);
  }

  /// Tells whether bridge and billing run on one host.
  public boolean bridgeIsWithBilling() {
    return shareHost(bridgeHosts, billingHosts);
  }

  /// Tells whether the pages run on the host of the bridge.
  public boolean webguiIsWithBridge() {
    return shareHost(webguiHosts, bridgeHosts);
  }

  /// Tells whether the pages run on the host of billing.
  public boolean webguiIsWithBilling() {
    return shareHost(webguiHosts, billingHosts);
  }

  /// Tells whether a relay runs on the host of the bridge.
  public boolean isWithBridge(Snapt snapt) {
    return shareHost(snapt.hosts, bridgeHosts);
  }

  private static boolean shareHost(List<HostName> some, List<HostName> others) {
    return some.stream().anyMatch(others::contains);
  }

  /// Returns the text of `setup.yml`.
  public String text() {
    var text =
        new StringBuilder(
            """
            # The facts of this installation, for later runs of `viaduct setup`; no service reads them.
            # Other hosts of a service: change them here, then `viaduct setup renew` issues certificates that name them.
            domain: %s
            billing-hosts: %s
            bridge-hosts: %s
            webgui-hosts: %s
            """
                .formatted(
                    domain,
                    YamlText.list(billingHosts),
                    YamlText.list(bridgeHosts),
                    YamlText.list(webguiHosts)));
    text.append("page-listen: ").append(YamlText.quoted(pageListen)).append('\n');
    text.append("trusted-proxies: ").append(YamlText.list(trustedProxies)).append('\n');
    text.append("database-url: ").append(YamlText.quoted(databaseUrl)).append('\n');
    text.append("database-user: ").append(YamlText.quoted(databaseUser)).append('\n');
    text.append("state: ").append(YamlText.quoted(state)).append('\n');
    text.append("snapts:\n");
    snapts.forEach(each -> text.append("  - ").append(each.entry()).append('\n'));
    return text.toString();
  }

  private static List<HostName> atLeastOne(String key, List<HostName> hosts) {
    require(!hosts.isEmpty(), key + " must name a host at least", hosts);
    return List.copyOf(hosts);
  }

  private static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }
}
