package io.viaduct.setup.installation;

import io.viaduct.setup.files.YamlText;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The settings of an installation: the file `setup.yml`, which the first run writes and later runs
/// read. Peers connect to the first host of each list; certificates name all of them.
///
/// @param domain home domain of the users
/// @param billingHosts hosts of danum-billing
/// @param bridgeHosts hosts of ims-bridge
/// @param webguiHosts hosts of webgui
/// @param pageListen address that the pages are served on
/// @param trustedProxies addresses and networks from which the pages connect to billing, besides
///   the addresses of `webgui-hosts`
/// @param databaseUrl JDBC address of a PostgreSQL; empty: billing runs its own
/// @param databaseUser role in that PostgreSQL that bills
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
  // Names of other directories of an installation; no SNAPT may have them.
  private static final Set<String> TAKEN =
      Set.of(
          "authority",
          "danum-billing",
          "database",
          "ims-bridge",
          "signed",
          "systemd",
          "users",
          "webgui");

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
  /// @param id common name of its certificate, and name of its directory
  /// @param hosts names and addresses at which devices reach it
  /// @param port of the control connection (TCP) and of the data (UDP)
  /// @param owner account that earns the provider's share of its charges
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

  /// Returns the role in the operator's PostgreSQL that owns billing's tables.
  public String databaseOwner() {
    return databaseUser + "_owner";
  }

  /// Returns whether bridge and billing run on one host.
  public boolean bridgeIsWithBilling() {
    return shareHost(bridgeHosts, billingHosts);
  }

  /// Returns whether the pages run on the host of the bridge.
  public boolean webguiIsWithBridge() {
    return shareHost(webguiHosts, bridgeHosts);
  }

  /// Returns whether the pages run on the host of billing.
  public boolean webguiIsWithBilling() {
    return shareHost(webguiHosts, billingHosts);
  }

  /// Returns whether a relay runs on the host of the bridge.
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
            # The settings of this installation, for later runs of `viaduct setup`; no service reads them.
            # To change the hosts of a service, change them here; then `viaduct setup renew` issues certificates that name them.
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
    require(!hosts.isEmpty(), key + " must name at least one host", hosts);
    return List.copyOf(hosts);
  }

  private static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }
}
