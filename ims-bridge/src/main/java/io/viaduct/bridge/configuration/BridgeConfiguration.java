package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;
import static io.viaduct.bridge.configuration.Rules.requirePort;

import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The configuration of ims-bridge; the defaults and their reasons are in `BridgeConfiguration.yml`
/// beside this record.
///
/// @param domain home domain of the users, host part of their SIP addresses
/// @param sip SIP listener and registrar
/// @param core IMS core network whose word about users counts
/// @param calls limits and timers of calls
/// @param bridges the other bridges of the domain, and what this one shares with them
/// @param grpc listener for SNAPTs, which announce themselves and report there
/// @param rest HTTP for operators and the web GUI
/// @param billing connection to billing
/// @param tls PEM files for gRPC in both directions
/// @param token session tokens
/// @param snapts the configured SNAPTs; no other may connect
/// @param directory rules for the SNAPTs' announcements
/// @param reporting bounds on reports
/// @param reports way of reports to billing
/// @param kafka the broker on that way, and its limits
/// @param state directory that only the bridge may access; holds the copy of the users
/// @param subscribers removed key; must be empty, and its refusal says where users are configured
///   now
/// @param operations listener for metrics and health
/// @param logging format and level
public record BridgeConfiguration(
    String domain,
    SipSettings sip,
    CoreSettings core,
    CallSettings calls,
    BridgesSettings bridges,
    Endpoint grpc,
    Rest rest,
    Billing billing,
    TlsSettings tls,
    TokenSettings token,
    List<Snapt> snapts,
    Directory directory,
    ReportingSettings reporting,
    ReportsSettings reports,
    KafkaSettings kafka,
    Path state,
    String subscribers,
    OperationsSettings operations,
    LoggingSettings logging) {
  public BridgeConfiguration {
    require(
        domain.matches("[a-z0-9.-]{1,253}"), "domain must be a host name in lower case", domain);
    require(
        subscribers.isEmpty(),
        "subscribers: users are made in billing now. Remove this key, and name the file in billing's configuration, imports: {subscribers: FILE}",
        subscribers);
    snapts = List.copyOf(snapts);
    Set<String> ids = new HashSet<>();
    snapts.forEach(
        snapt -> require(ids.add(snapt.id()), "snapts must have different ids", snapt.id()));
    require(
        reports.transport() == ReportsSettings.Transport.GRPC || kafka.broker().exists(),
        "reports.transport kafka needs kafka.broker.bootstrap",
        "[]");
    require(
        core.tlsNames().isEmpty() || sip.tls().exists(),
        "core.tls-names needs sip.tls.certificate",
        core.tlsNames());
    require(
        !bridges.areSeveral() || !sip.sentBy().isEmpty() || sip.isBoundToOneAddress(),
        "bridges.peers needs sip.sent-by, or in sip.host an address of this bridge: calls name it",
        sip.host());
    require(
        kafka.bufferBytes() >= 4L * reporting.bytes(),
        "kafka.buffer-bytes must be at least four times reporting.bytes",
        kafka.bufferBytes());
  }

  /// Host and port of a listener. Port 0 takes a free port and logs it.
  public record Endpoint(String host, int port) {
    public Endpoint {
      requirePort(port, 0);
    }
  }

  /// @param tokenFile bearer token that callers must send
  public record Rest(String host, int port, Secret tokenFile) {
    public Rest {
      requirePort(port, 0);
    }
  }

  /// @param deadline longest wait for the answer to a submission; then its reports are deferred
  /// @param batch most reports in one submission
  /// @param linger how long a batch waits for further reports
  /// @param inFlight most concurrent submissions
  /// @param queue most reports that wait for billing; further reports are deferred
  public record Billing(
      String host,
      int port,
      Duration deadline,
      int batch,
      Duration linger,
      int inFlight,
      int queue) {
    public Billing {
      requirePort(port, 1);
      require(deadline.toMillis() >= 100, "deadline must be >= 100ms", deadline);
      require(batch >= 1 && batch <= 256, "batch must be 1..256", batch);
      require(inFlight >= 1 && inFlight <= 64, "in-flight must be 1..64", inFlight);
      require(queue >= batch, "queue must be >= batch", queue);
    }
  }

  /// @param staleAfter devices are not sent to a SNAPT that has been silent for longer
  /// @param first ids of the SNAPTs that devices try first, in this order
  public record Directory(Duration staleAfter, List<String> first) {
    public Directory {
      first = List.copyOf(first);
      require(staleAfter.toMillis() >= 500, "stale-after must be >= 500ms", staleAfter);
    }
  }
}
