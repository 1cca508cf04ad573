package io.viaduct.snapt;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.snapt.egress.Switch;
import io.viaduct.snapt.group.GroupSettings;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The configuration of a SNAPT. `SnaptConfiguration.yml` has the defaults and their reasons.
///
/// @param id id of the SNAPT: the common name of its certificate
/// @param audience SNAPT group that tokens must name
/// @param region location of the SNAPT, for the agents' choice
/// @param owner former key, which has no effect: billing knows the owner
/// @param state directory whose files must survive a restart
/// @param socket Unix socket for `snapt status`
/// @param tls certificate for agents and for the bridge, and the authorities that may sign the
///   bridge's certificate
/// @param renewal requests for the next certificate
/// @param portalProbe the page by which devices notice captive portals
/// @param tunnel treatment of the packets to devices
/// @param relays other SNAPTs that the Welcome lists
/// @param group SNAPTs that hand sessions over to each other
public record SnaptConfiguration(
    String id,
    String audience,
    String region,
    String owner,
    Path state,
    Path socket,
    TlsSettings tls,
    Renewal renewal,
    Control control,
    PortalProbe portalProbe,
    Data data,
    TunnelSettings tunnel,
    Sessions sessions,
    Pool pool,
    Egress egress,
    Attribution attribution,
    Metering metering,
    Credit credit,
    Reporting reporting,
    List<RelayAddress> relays,
    GroupSettings group,
    Operations operations,
    LoggingSettings logging) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public SnaptConfiguration {
    requireName("id", id);
    requireName("audience", audience);
    relays = List.copyOf(relays);
    group.requireApart(id, new GroupSettings.MemberPool(pool.ipv4(), pool.ipv6()));
    if (group.hasMembers() && egress.masquerade() != Switch.OFF) {
      throw new IllegalArgumentException(
          "egress.masquerade must be off with a group, got %s: only addresses that the network routes can move to another SNAPT"
              .formatted(egress.masquerade()));
    }
    if (sessions.max() > new AddressPool(pool.ipv4(), pool.ipv6()).capacity()) {
      throw new IllegalArgumentException(
          "sessions.max must not exceed the addresses of pool.ipv4, %d, got %d"
              .formatted(new AddressPool(pool.ipv4(), pool.ipv6()).capacity(), sessions.max()));
    }
  }

  /// Returns the limits for the terms of a Welcome.
  TunnelLimits limits() {
    return new TunnelLimits(
        data.pathMtu(), tunnel.historyBytes(), data.paths(), TunnelLimits.FEATURES);
  }

  /// The listener for operators.
  ///
  /// @param host address that it listens on; keep it local or behind a firewall
  /// @param port TCP port; 0 takes a free one and logs it
  /// @param tokenFile file with the bearer token for `POST /drain` and `/undrain`; empty: both are
  ///   refused
  public record Operations(String host, int port, @FileName String tokenFile) {
    /// Checks the values.
    public Operations {
      var unused = new OperationsSettings(host, port);
      if (!tokenFile.isEmpty()) {
        Secret.of(tokenFile);
      }
    }

    OperationsSettings settings() {
      return new OperationsSettings(host, port);
    }

    Optional<Secret> token() {
      return tokenFile.isEmpty() ? Optional.empty() : Optional.of(Secret.of(tokenFile));
    }
  }

  /// Requests of a running SNAPT for its next certificate.
  ///
  /// @param before time before the end of the certificate; 0 s means that none is asked for
  /// @param every time between two requests
  public record Renewal(Duration before, Duration every) {
    private static final Duration WARNED_BEFORE = Duration.ofDays(30);

    public Renewal {
      require(before, 0, 400L * 86_400_000, "renewal.before");
      require(every, 1_000, 86_400_000, "renewal.every");
    }

    /// Returns whether the certificate is renewed by hand.
    boolean isOff() {
      return before.isZero();
    }

    /// Returns the time before the end of the certificate from which people are warned.
    Duration warnedBefore() {
      return isOff() ? WARNED_BEFORE : before;
    }
  }

  /// The TLS server.
  ///
  /// @param host host name under which agents reach this SNAPT, as in its certificate
  /// @param listen local address for control connections
  /// @param port TCP port, 0 for any free port
  /// @param connectionsMax largest number of open connections
  /// @param connectionsPerAddressMax largest number of open connections from one address
  /// @param handshakeTimeout longest time from accept to a valid Hello
  /// @param keepAlive time between two KeepAlives to a silent device; three unanswered ones end the
  ///   connection
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

  /// The page that devices ask by plain HTTP to notice a captive portal.
  ///
  /// @param enabled false if this SNAPT has no such page
  /// @param listen local address
  /// @param port TCP port, 0 for any free port; agents ask port 80
  public record PortalProbe(boolean enabled, String listen, int port) {
    public PortalProbe {
      requirePort("portal-probe.port", port);
    }
  }

  /// The data path.
  ///
  /// @param listen local address for datagrams; `::` is for both address families
  /// @param port UDP port, 0 for any free port
  /// @param loops number of event loops, each with a UDP socket and a TUN queue; 0 means one per
  ///   processor, at most 8
  /// @param pathMtu largest outer IP packet in bytes
  /// @param historyBudgetBytes limit, in bytes, of the heap and native memory of each event loop's
  ///   compression histories; half for each direction
  /// @param paths largest number of paths of a session, so of links that a device uses at a time
  public record Data(
      String listen, int port, int loops, int pathMtu, int historyBudgetBytes, int paths) {
    public Data {
      requirePort("data.port", port);
      require(loops, 0, 64, "data.loops");
      if (Integer.bitCount(loops) > 1) {
        // A byte of the receiver index selects the loop, so 256 must be a multiple of the number of
        // loops.
        throw new IllegalArgumentException("data.loops must be 0 or a power of two, got " + loops);
      }
      require(pathMtu, TunnelLimits.PATH_MTU_MIN, TunnelLimits.PATH_MTU_MAX, "data.path-mtu");
      require(historyBudgetBytes, 1 << 20, 1 << 30, "data.history-budget-bytes");
      require(paths, 1, TunnelLimits.PATHS_MAX, "data.paths");
    }

    /// Returns the number of event loops on a host with this number of processors.
    int loops(int processors) {
      return loops > 0 ? loops : Integer.highestOneBit(Math.clamp(processors, 1, 8));
    }
  }

  /// @param max largest number of open sessions
  /// @param idle time without traffic after which a session without control connection ends
  public record Sessions(int max, Duration idle) {
    public Sessions {
      require(max, 1, 1_000_000, "sessions.max");
      require(idle, 1_000, 86_400_000, "sessions.idle");
    }
  }

  /// The addresses of sessions on the Internet side.
  ///
  /// @param ipv4 IPv4 prefix, with one address per session
  /// @param ipv6 IPv6 prefix, with one address per session
  public record Pool(Prefix ipv4, Prefix ipv6) {
    public Pool {
      new AddressPool(ipv4, ipv6);
    }
  }

  /// @param tun name of the TUN device, which the SNAPT creates
  /// @param masquerade true if nftables replaces pool addresses by the host's own addresses
  /// @param forwarding true if the start switches IP forwarding on
  /// @param allow exceptions from `deny`, control networks and private networks
  /// @param deny destinations that devices must not reach
  /// @param denyPrivate true if networks that are not part of the Internet are refused
  /// @param controlNetworks control networks of the operator; the bridge's addresses are always
  ///   included
  /// @param accountBitsPerSecond limit of all sessions of an account together, per direction; 0
  ///   means no limit
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

  /// The records of public addresses and ports.
  ///
  /// @param retention age after which records are deleted; 0 s means that nothing is recorded
  /// @param bytesMax limit of all records together; the oldest are deleted first
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
  /// @param lossPercentMax largest share of a flow's sent bytes, in percent, that a device may
  ///   report as lost; lost bytes beyond it are charged
  public record Metering(Duration interval, int lossPercentMax) {
    public Metering {
      require(interval, 5_000, 300_000, "metering.interval");
      require(lossPercentMax, 0, 90, "metering.loss-percent-max");
    }
  }

  /// Credit control.
  ///
  /// @param beforeFirstAnswer what happens to traffic while billing cannot be asked and has not yet
  ///   said what its tariff wants
  /// @param reachable destinations that are carried without credit, and charged
  public record Credit(WithoutBilling beforeFirstAnswer, List<EgressRule> reachable) {
    private static final int REACHABLE_MAX = 32;

    public Credit {
      reachable = List.copyOf(reachable);
      require(reachable.size(), 0, REACHABLE_MAX, "the number of entries of credit.reachable");
    }
  }

  /// The delivery of the reports.
  ///
  /// @param bridgeHost host name of the bridge, as in its certificate
  /// @param bridgePort gRPC port of the bridge
  /// @param reportKey PEM file of the Ed25519 key that signs reports; `snapt keygen` makes one
  /// @param reportKeyId id of the report key at the bridge
  /// @param window largest number of sent reports without an answer
  /// @param receiptWait longest time that a report waits for its device's receipt before it is sent
  ///   without
  /// @param spoolReportsMax number of waiting reports from which new sessions are refused
  /// @param statusEvery time between two status announcements to the bridge
  /// @param drain longest time that a stop waits for the bridge's answers to the last reports
  /// @param transport the way of the reports
  /// @param sip where to, if they go by SIP
  public record Reporting(
      String bridgeHost,
      int bridgePort,
      Path reportKey,
      String reportKeyId,
      int window,
      Duration receiptWait,
      int spoolReportsMax,
      Duration statusEvery,
      Duration drain,
      ReportTransport transport,
      SipWay sip) {
    public Reporting {
      if (transport == ReportTransport.SIP && (sip.host().isEmpty() || sip.domain().isEmpty())) {
        throw new IllegalArgumentException(
            "reporting.sip.host and reporting.sip.domain must be set with reporting.transport sip");
      }
      requirePort("reporting.bridge-port", bridgePort);
      requireName("reporting.report-key-id", reportKeyId);
      require(window, 1, 4096, "reporting.window");
      require(receiptWait, 0, 60_000, "reporting.receipt-wait");
      require(spoolReportsMax, 1, 10_000_000, "reporting.spool-reports-max");
      require(statusEvery, 100, 60_000, "reporting.status-every");
      require(drain, 0, 60_000, "reporting.drain");
    }
  }

  /// Ways of reports to the bridge.
  public enum ReportTransport {
    /// A stream of the bridge's gRPC port.
    GRPC,
    /// PUBLISH, for networks that let only SIP in.
    SIP;

    @JsonCreator
    static ReportTransport of(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "grpc" -> GRPC;
        case "sip" -> SIP;
        default ->
            throw new IllegalArgumentException("transport must be grpc or sip, got '" + text + "'");
      };
    }
  }

  /// The SIP server that takes reports: the bridge, or a server of the core before it.
  ///
  /// @param tls false for plain TCP
  /// @param domain of the bridge; its certificate must name it
  public record SipWay(String host, int port, boolean tls, String domain) {
    public SipWay {
      requirePort("reporting.sip.port", port);
    }
  }

  /// Another SNAPT that agents may use.
  public record RelayAddress(String id, String host, int controlPort, int dataPort, String region) {
    public RelayAddress {
      requirePort("relays.control-port", controlPort);
      requirePort("relays.data-port", dataPort);
    }

    /// Returns the protocol message for agents.
    Relay message() {
      return Relay.newBuilder()
          .setSnaptId(id)
          .setHost(host)
          .setControlPort(controlPort)
          .setDataPort(dataPort)
          .setRegion(region)
          .build();
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
