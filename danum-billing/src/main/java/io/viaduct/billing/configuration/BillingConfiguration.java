package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.throttle.TrustedProxies;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The configuration of danum-billing. `BillingConfiguration.yml` beside this record has the
/// defaults and their reasons.
///
/// @param rest address of the HTTP interface
/// @param rateLimit most requests of one log-in or API token
/// @param grpc address of mediation, and the bridges that may connect
/// @param tls PEM files for gRPC
/// @param operations address of metrics and health checks
/// @param logging format and level
/// @param database the embedded PostgreSQL, or any PostgreSQL by its URL
/// @param sipDomain home domain of the users and realm of their SIP credentials: the bridge's
///   `domain`
/// @param credentials keys that SIP credentials are sealed with
/// @param imports files that are read at the start and at SIGHUP
/// @param devicesMax most device keys of one account
/// @param operator the first operator; created at the start, or given this password again
/// @param sessions lifetime of logins, and the throttle for wrong passwords
/// @param users ways to log in beside the password
/// @param graceTime time from the end of an interval until it is settled
/// @param adjustmentTime time from the end of an interval until its report is refused as too late
/// @param settlementPeriod period at which due intervals are settled
/// @param verificationPeriod period at which the imbalance and the accounts below zero are
///   recomputed
/// @param ledgerVerificationPeriod period at which every invariant of the ledger is recomputed
/// @param snapts SNAPTs that each start and each SIGHUP enrol, if they never were
/// @param snaptOwners owner by SNAPT id of SNAPTs that were never enrolled, for one version
/// @param defaultOwner owner of such a SNAPT that `snaptOwners` does not name
/// @param tokenAudience group of SNAPTs that session tokens must be for: the bridge's
///   `token.audience`
/// @param chargeBound most denarii of one account for intervals that end in one minute; a report
///   above it is held
/// @param unsigned limits for charges without the device's receipt
/// @param deviceReports limits for charges by the device's report alone
/// @param heldReports most reports of one SNAPT that wait for the operator; further ones are
///   deferred
/// @param credit credit control: quotas and notices
/// @param idempotencyTime time for which the answer to a decision is repeated for its idempotency
///   key
/// @param payments the payment provider
/// @param kafka topics of reports, verdicts and charges, if there is a broker
/// @param diameter Diameter for nodes that ask for the seconds of calls
/// @param radius RADIUS accounting of access networks, and for RADIUS servers
/// @param webhooks delivery to endpoints that users and operators make
/// @param cdr files of charging data records
/// @param statements signed statements
/// @param retention how long bills and personal data are kept
public record BillingConfiguration(
    Rest rest,
    RateLimit rateLimit,
    Grpc grpc,
    TlsSettings tls,
    OperationsSettings operations,
    LoggingSettings logging,
    DatabaseSettings database,
    String sipDomain,
    Credentials credentials,
    Imports imports,
    int devicesMax,
    Operator operator,
    SessionsSettings sessions,
    UsersSettings users,
    Duration graceTime,
    Duration adjustmentTime,
    Duration settlementPeriod,
    Duration verificationPeriod,
    Duration ledgerVerificationPeriod,
    List<SnaptFacts> snapts,
    Map<String, String> snaptOwners,
    String defaultOwner,
    String tokenAudience,
    long chargeBound,
    UnsignedSettings unsigned,
    DeviceReportsSettings deviceReports,
    int heldReports,
    CreditSettings credit,
    Duration idempotencyTime,
    PaymentsSettings payments,
    KafkaSettings kafka,
    DiameterSettings diameter,
    RadiusSettings radius,
    WebhooksSettings webhooks,
    CdrSettings cdr,
    Statements statements,
    RetentionSettings retention) {
  private static final String NAME = "[A-Za-z0-9._-]{1,64}";

  public BillingConfiguration {
    between("grace-time", graceTime, Duration.ofSeconds(1), Duration.ofHours(24));
    between("adjustment-time", adjustmentTime, graceTime, Duration.ofDays(31));
    between("settlement-period", settlementPeriod, Duration.ofMillis(50), Duration.ofHours(1));
    between("verification-period", verificationPeriod, Duration.ofSeconds(1), Duration.ofHours(24));
    require(
        sipDomain.matches("[a-z0-9.-]{1,253}"),
        "sip-domain must be a host name in lower case, the bridge's domain",
        sipDomain);
    require(
        devicesMax >= 1 && devicesMax <= 1000,
        "devices-max must be between 1 and 1000",
        Integer.toString(devicesMax));
    between("idempotency-time", idempotencyTime, Duration.ofDays(1), Duration.ofDays(3650));
    between(
        "ledger-verification-period",
        ledgerVerificationPeriod,
        Duration.ofSeconds(1),
        Duration.ofDays(7));
    snapts = List.copyOf(snapts);
    require(
        snapts.stream().map(SnaptFacts::id).distinct().count() == snapts.size(),
        "snapts must have different ids",
        snapts.stream().map(SnaptFacts::id).toList().toString());
    require(defaultOwner.matches(NAME), "default-owner must match " + NAME, defaultOwner);
    snaptOwners.forEach((snapt, owner) ->
        require(
            snapt.matches(NAME) && owner.matches(NAME),
            "snapt-owners must map names to names that match " + NAME,
            snapt + ": " + owner));
    snaptOwners = Map.copyOf(snaptOwners);
    require(tokenAudience.matches(NAME), "token-audience must match " + NAME, tokenAudience);
    requireDenarii("charge-bound", chargeBound);
    require(
        retention.ledgerMonths() == 0 || !cdr.directory().isEmpty(),
        "retention.ledger-months needs cdr.directory: a month is dropped after its export",
        Integer.toString(retention.ledgerMonths()));
    require(
        !(diameter.hasRecords() && radius.hasRecords()),
        "accounting records go by Diameter or by RADIUS: leave one of diameter.rf.directory and"
            + " radius.accounting.directory empty",
        radius.accounting().directory());
    require(
        heldReports >= 1 && heldReports <= 1_000_000,
        "held-reports must be 1 to 1000000",
        Integer.toString(heldReports));
  }

  /// Returns the owner of a SNAPT that was never enrolled.
  public String ownerOf(String snapt) {
    return snaptOwners.getOrDefault(snapt, defaultOwner);
  }

  /// Returns true if posted reports become accounting records, by Diameter or by RADIUS.
  public boolean hasAccountingRecords() {
    return diameter.hasRecords() || radius.hasRecords();
  }

  /// Signed statements.
  ///
  /// @param rootsDirectory directory that each day's root is written to, of an existing path; empty
  ///   for none
  public record Statements(@FileName String rootsDirectory) {
    public Statements {
      require(
          rootsDirectory.isEmpty() || java.nio.file.Files.isDirectory(Path.of(rootsDirectory)),
          "roots-directory must exist, or be empty",
          rootsDirectory);
    }
  }

  /// The address of the HTTP interface. Port 0 takes a free port and logs it.
  ///
  /// @param trustedProxies addresses and networks whose `X-Forwarded-For` names the visitor: web
  ///   GUI and TLS proxies
  public record Rest(String host, int port, TrustedProxies trustedProxies) {
    public Rest {
      requirePort(port);
    }
  }

  /// A token bucket: it holds `requests` and is refilled evenly within `period`.
  public record RateLimit(int requests, Duration period) {
    public RateLimit {
      require(
          requests >= 1 && requests <= 1_000_000,
          "requests must be 1 to 1000000",
          Integer.toString(requests));
      between("period", period, Duration.ofSeconds(1), Duration.ofHours(1));
    }
  }

  /// The address of mediation.
  ///
  /// @param peers common names of the certificates that may submit reports
  public record Grpc(String host, int port, List<String> peers) {
    public Grpc {
      requirePort(port);
      require(!peers.isEmpty(), "peers must name at least one certificate", "[]");
      peers = List.copyOf(peers);
    }
  }

  /// Key files for SIP credentials.
  ///
  /// @param keyFile 32 bytes in base64, mode 600; created at the first start if missing
  /// @param formerKeyFiles former keys; each start seals their credentials again with the current
  ///   key
  public record Credentials(Path keyFile, List<Path> formerKeyFiles) {
    public Credentials {
      formerKeyFiles = List.copyOf(formerKeyFiles);
    }
  }

  /// Files that are imported.
  ///
  /// @param subscribers file of users in the bridge's format; empty for none
  public record Imports(@FileName String subscribers) {}

  /// The operator who comes from the configuration.
  ///
  /// @param user account id
  /// @param passwordFile file with the password
  public record Operator(String user, Secret passwordFile) {
    public Operator {
      require(user.matches(NAME), "user must match " + NAME, user);
    }
  }

  private static void requireDenarii(String key, long denarii) {
    require(
        denarii >= 1 && denarii <= Rules.DENARII_MAX,
        key + " must be 1 to " + Rules.DENARII_MAX + " denarii",
        Long.toString(denarii));
  }

  private static void requirePort(int port) {
    require(port >= 0 && port <= 65535, "port must be 0 to 65535", Integer.toString(port));
  }
}
