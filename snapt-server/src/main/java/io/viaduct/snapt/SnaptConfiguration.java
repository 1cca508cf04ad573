package io.viaduct.snapt;

import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.tunnel.session.TunnelLimits;
import io.viaduct.tunnel.session.TunnelSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/// Everything that may be set on a SNAPT. Defaults and their reasons: `SnaptConfiguration.yml`.
///
/// @param id the common name of its certificate
/// @param audience SNAPT group that tokens must name
/// @param region where it stands, for the agents' choice
/// @param owner who earns the provider's share
/// @param state directory that must outlive the process
/// @param socket Unix socket that `snapt status` asks
/// @param tls certificate for agents and for the bridge, and the authorities that may sign the
///   bridge's
/// @param tunnel what it does with what it sends to devices
/// @param relays SNAPTs that agents are told besides this one
public record SnaptConfiguration(
    String id,
    String audience,
    String region,
    String owner,
    Path state,
    Path socket,
    TlsSettings tls,
    Control control,
    Data data,
    TunnelSettings tunnel,
    Sessions sessions,
    Pool pool,
    Egress egress,
    Attribution attribution,
    Metering metering,
    Reporting reporting,
    List<RelayAddress> relays,
    OperationsSettings operations,
    LoggingSettings logging) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public SnaptConfiguration {
    requireName("id", id);
    requireName("audience", audience);
    relays = List.copyOf(relays);
    if (sessions.max() > new AddressPool(pool.ipv4(), pool.ipv6()).capacity()) {
      throw new IllegalArgumentException(
          "sessions.max must not exceed the addresses of pool.ipv4, %d, got %d"
              .formatted(new AddressPool(pool.ipv4(), pool.ipv6()).capacity(), sessions.max()));
    }
  }

  /// What a Welcome offers at the most.
  TunnelLimits limits() {
    return new TunnelLimits(data.pathMtu(), tunnel.historyBytes());
  }

  /// The TLS server.
  ///
  /// @param host name that agents reach this SNAPT by, as in its certificate
  /// @param listen address that control connections arrive at
  /// @param port TCP port, 0 for any
  /// @param connectionsMax connections at a time
  /// @param connectionsPerAddressMax of them from one address
  /// @param handshakeTimeout from accept to a valid Hello
  /// @param keepAlive time between two KeepAlives to a device that was silent for three times as
  ///   long; three lost ones end the connection
  public record Control(
      String host,
      String listen,
      int port,
      int connectionsMax,
      int connectionsPerAddressMax,
      Duration handshakeTimeout,
      Duration keepAlive) {
    public Control {
      requirePort("control.port", port);
      require(connectionsMax, 1, 1_000_000, "control.connections-max");
      require(connectionsPerAddressMax, 1, connectionsMax, "control.connections-per-address-max");
      require(handshakeTimeout, 100, 60_000, "control.handshake-timeout");
      require(keepAlive, 100, 600_000, "control.keep-alive");
    }
  }

  /// The data path.
  ///
  /// @param listen address that datagrams arrive at; `::` takes both families
  /// @param port UDP port, 0 for any
  /// @param loops event loops, each with a UDP socket and a TUN queue; 0 for one per processor, 8
  ///   at most
  /// @param pathMtu largest outer IP packet in bytes
  /// @param historyBudgetBytes heap and native memory that the histories of each event loop may
  ///   hold together, half for each direction
  public record Data(String listen, int port, int loops, int pathMtu, int historyBudgetBytes) {
    public Data {
      requirePort("data.port", port);
      require(loops, 0, 64, "data.loops");
      if (Integer.bitCount(loops) > 1) {
        // A byte of the receiver index chooses the loop: 256 must be a multiple of their number.
        throw new IllegalArgumentException("data.loops must be 0 or a power of two, got " + loops);
      }
      require(pathMtu, TunnelLimits.PATH_MTU_MIN, TunnelLimits.PATH_MTU_MAX, "data.path-mtu");
      require(historyBudgetBytes, 1 << 20, 1 << 30, "data.history-budget-bytes");
    }

    /// Event loops on a machine of so many processors.
    int loops(int processors) {
      return loops > 0 ? loops : Integer.highestOneBit(Math.clamp(processors, 1, 8));
    }
  }

  /// @param max sessions at a time
  /// @param idle a session without control connection that sent nothing for so long ends
  public record Sessions(int max, Duration idle) {
    public Sessions {
      require(max, 1, 1_000_000, "sessions.max");
      require(idle, 1_000, 86_400_000, "sessions.idle");
    }
  }

  /// Addresses that the Internet side knows sessions by.
  ///
  /// @param ipv4 one address per session
  /// @param ipv6 one address per session
  public record Pool(Prefix ipv4, Prefix ipv6) {
    public Pool {
      new AddressPool(ipv4, ipv6);
    }
  }

  /// @param tun name of the TUN device that is made
  /// @param masquerade whether nftables hides the pool behind the machine's own addresses
  /// @param forwarding whether IP forwarding is switched on at start
  /// @param allow exceptions from `deny`, control networks and private networks
  /// @param deny what devices do not reach
  /// @param denyPrivate whether networks that are not of the Internet are refused
  /// @param controlNetworks of the operator; the bridge's addresses are always among them
  /// @param accountBitsPerSecond of all sessions of an account here, per direction; 0: no limit
  public record Egress(
      String tun,
      Switch masquerade,
      Switch forwarding,
      List<EgressRule> allow,
      List<EgressRule> deny,
      boolean denyPrivate,
      List<Prefix> controlNetworks,
      long accountBitsPerSecond) {
    private static final int RULES_MAX = 256;
    private static final long BITS_PER_SECOND_MIN = 64_000;
    private static final Pattern DEVICE = Pattern.compile("[a-zA-Z0-9_-]{1,15}");

    public Egress {
      if (!DEVICE.matcher(tun).matches()) {
        throw new IllegalArgumentException(
            "egress.tun must be 1 to 15 of letters, digits, _ and -, got '" + tun + "'");
      }
      allow = List.copyOf(allow);
      deny = List.copyOf(deny);
      controlNetworks = List.copyOf(controlNetworks);
      require(allow.size(), 0, RULES_MAX, "the number of entries of egress.allow");
      require(deny.size(), 0, RULES_MAX, "the number of entries of egress.deny");
      require(controlNetworks.size(), 0, RULES_MAX, "the entries of egress.control-networks");
      if (accountBitsPerSecond != 0
          && (accountBitsPerSecond < BITS_PER_SECOND_MIN
              || accountBitsPerSecond > AccountRates.BITS_PER_SECOND_MAX)) {
        throw new IllegalArgumentException(
            "egress.account-bits-per-second must be 0 or from %d to %d, got %d"
                .formatted(
                    BITS_PER_SECOND_MIN, AccountRates.BITS_PER_SECOND_MAX, accountBitsPerSecond));
      }
    }
  }

  /// Who had which public address and port.
  ///
  /// @param retention after which records go; 0 s: nothing is recorded
  /// @param bytesMax of all records; the oldest go first
  public record Attribution(Duration retention, long bytesMax) {
    public Attribution {
      require(retention, 0, 400L * 86_400_000, "attribution.retention");
      if (bytesMax < 1 << 20) {
        throw new IllegalArgumentException(
            "attribution.bytes-max must be at least %d, got %d".formatted(1 << 20, bytesMax));
      }
    }
  }

  /// @param interval time that one usage report covers
  public record Metering(Duration interval) {
    public Metering {
      require(interval, 5_000, 300_000, "metering.interval");
    }
  }

  /// The way of the reports.
  ///
  /// @param bridgeHost name of the bridge, as in its certificate
  /// @param bridgePort its gRPC port
  /// @param reportKey PEM file of the Ed25519 key that signs reports; `snapt keygen` makes one
  /// @param reportKeyId what the key is called there
  /// @param window reports that may wait for an answer on the wire
  /// @param receiptWait how long a report waits for its device's receipt before it is sent without
  /// @param spoolReportsMax waiting reports above which new sessions are refused
  /// @param statusEvery time between two announcements to the bridge
  /// @param drain how long a stop waits for the bridge to take the last reports
  public record Reporting(
      String bridgeHost,
      int bridgePort,
      Path reportKey,
      String reportKeyId,
      int window,
      Duration receiptWait,
      int spoolReportsMax,
      Duration statusEvery,
      Duration drain) {
    public Reporting {
      requirePort("reporting.bridge-port", bridgePort);
      requireName("reporting.report-key-id", reportKeyId);
      require(window, 1, 4096, "reporting.window");
      require(receiptWait, 0, 60_000, "reporting.receipt-wait");
      require(spoolReportsMax, 1, 10_000_000, "reporting.spool-reports-max");
      require(statusEvery, 100, 60_000, "reporting.status-every");
      require(drain, 0, 60_000, "reporting.drain");
    }
  }

  /// Another SNAPT that agents may turn to.
  public record RelayAddress(String id, String host, int controlPort, int dataPort, String region) {
    public RelayAddress {
      requirePort("relays.control-port", controlPort);
      requirePort("relays.data-port", dataPort);
    }
  }

  private static void requireName(String key, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          key + " must be 1 to 63 of letters, digits, '.', '_' and '-', got '" + name + "'");
    }
  }

  private static void requirePort(String key, int port) {
    require(port, 0, 65_535, key);
  }

  private static void require(int value, int from, int to, String key) {
    if (value < from || value > to) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, got %d".formatted(key, from, to, value));
    }
  }

  private static void require(Duration value, long fromMs, long toMs, String key) {
    if (value.toMillis() < fromMs || value.toMillis() > toMs) {
      throw new IllegalArgumentException(
          "%s must be from %d ms to %d ms, got %d ms"
              .formatted(key, fromMs, toMs, value.toMillis()));
    }
  }
}
