package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.broker.BrokerSettings;
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
    Database database,
    String sipDomain,
    Credentials credentials,
    Imports imports,
    int devicesMax,
    Operator operator,
    Sessions sessions,
    Users users,
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
    Unsigned unsigned,
    DeviceReports deviceReports,
    int heldReports,
    Credit credit,
    Duration idempotencyTime,
    Payments payments,
    Kafka kafka,
    DiameterSettings diameter,
    RadiusSettings radius,
    Webhooks webhooks,
    Cdr cdr,
    Statements statements,
    Retention retention) {
  private static final String NAME = "[A-Za-z0-9._-]{1,64}";
  private static final long LINE_RATE_MAX = 10_000_000_000_000L;
  private static final long DENARII_MAX = 1_000_000_000L;

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

  /// Limits for charges without the device's receipt.
  ///
  /// @param boundPerAccount most denarii of an account without a receipt; a report above it is held
  /// @param decideAfter time from the end of an interval until the operator may decide about it
  public record Unsigned(long boundPerAccount, Duration decideAfter) {
    public Unsigned {
      require(
          boundPerAccount >= 0 && boundPerAccount <= DENARII_MAX,
          "bound-per-account must be 0 to " + DENARII_MAX,
          Long.toString(boundPerAccount));
      between("decide-after", decideAfter, Duration.ofSeconds(1), Duration.ofDays(31));
    }
  }

  /// Limits for charges by the device's report alone.
  ///
  /// @param chargeAfter time from the end of an interval that the SNAPT's report has
  /// @param boundPerAccount most denarii of an account that the SNAPT's report may still replace; a
  ///   report above it is not charged
  public record DeviceReports(Duration chargeAfter, long boundPerAccount) {
    public DeviceReports {
      between("charge-after", chargeAfter, Duration.ofSeconds(1), Duration.ofDays(31));
      require(
          boundPerAccount >= 0 && boundPerAccount <= DENARII_MAX,
          "bound-per-account must be 0 to " + DENARII_MAX,
          Long.toString(boundPerAccount));
    }
  }

  /// Quotas for the sessions of SNAPTs, and notices of low credit.
  ///
  /// @param defaultLimit denarii that the balance of an account without a limit of its own may go
  ///   below zero
  /// @param grantTime time of the present rate that a grant lasts
  /// @param grantBytesMin smallest grant while credit suffices
  /// @param validity longest validity of a grant
  /// @param validityMin shortest validity of a grant
  /// @param grace longest time for which an application of low delay goes on at zero credit
  /// @param low denarii below which credit is low
  /// @param hysteresis denarii by which credit must exceed a threshold to be above it again
  /// @param webhook where notices are sent
  public record Credit(
      long defaultLimit,
      Duration grantTime,
      long grantBytesMin,
      Duration validity,
      Duration validityMin,
      Duration grace,
      long low,
      long hysteresis,
      Webhook webhook) {
    public Credit {
      amount("default-limit", defaultLimit);
      between("grant-time", grantTime, Duration.ofMillis(100), Duration.ofMinutes(1));
      require(
          grantBytesMin >= 1500 && grantBytesMin <= 1L << 30,
          "grant-bytes-min must be 1500 to " + (1L << 30),
          Long.toString(grantBytesMin));
      between("validity", validity, Duration.ofSeconds(1), Duration.ofMinutes(5));
      between("validity-min", validityMin, Duration.ofMillis(50), validity);
      between("grace", grace, Duration.ZERO, Duration.ofMinutes(1));
      amount("low", low);
      amount("hysteresis", hysteresis);
    }

    private static void amount(String key, long denarii) {
      require(
          denarii >= 0 && denarii <= DENARII_MAX,
          key + " must be 0 to " + DENARII_MAX + " denarii",
          Long.toString(denarii));
    }
  }

  /// A receiver of notices by HTTP.
  ///
  /// @param url http or https; empty for none
  /// @param secretFile file with the secret of the signature; required if there is a URL
  /// @param deadline time that one delivery may take
  /// @param attempts deliveries of one notice until it is given up
  public record Webhook(String url, @FileName String secretFile, Duration deadline, int attempts) {
    public Webhook {
      require(
          url.isEmpty() || url.matches("https?://[\\x21-\\x7e]{1,1000}"),
          "url must start with http:// or https://, or be empty",
          url);
      require(
          url.isEmpty() || !secretFile.isEmpty(),
          "secret-file must be given with the url",
          secretFile);
      between("deadline", deadline, Duration.ofMillis(100), Duration.ofMinutes(1));
      require(
          attempts >= 1 && attempts <= 100,
          "attempts must be 1 to 100",
          Integer.toString(attempts));
      if (!secretFile.isEmpty()) {
        Secret.of(secretFile);
      }
    }
  }

  /// Delivery to the endpoints that users and operators make.
  ///
  /// @param allowedNetworks addresses or networks that webhooks may reach although they are
  ///   internal
  /// @param deadline longest wait for a connection and for an answer
  /// @param attempts attempts after which a delivery is given up
  /// @param failures deliveries in a row that are given up before the endpoint is disabled
  /// @param retention age at which events and the log of their deliveries are forgotten
  public record Webhooks(
      List<String> allowedNetworks,
      Duration deadline,
      int attempts,
      int failures,
      Duration retention) {
    public Webhooks {
      allowedNetworks = List.copyOf(allowedNetworks);
      for (String network : allowedNetworks) {
        require(
            network.matches("[0-9a-fA-F.:]{2,45}(/[0-9]{1,3})?"),
            "allowed-networks must be addresses or networks such as 10.1.0.0/16",
            network);
      }
      between("deadline", deadline, Duration.ofMillis(100), Duration.ofMinutes(1));
      require(
          attempts >= 1 && attempts <= 100,
          "attempts must be 1 to 100",
          Integer.toString(attempts));
      require(
          failures >= 1 && failures <= 1000,
          "failures must be 1 to 1000",
          Integer.toString(failures));
      between("retention", retention, Duration.ofHours(1), Duration.ofDays(400));
    }
  }

  /// Files of charging data records.
  ///
  /// @param directory directory that the files are written to, of an existing path; empty for none
  /// @param format `3GPP`, `CSV` or `JSONL`
  /// @param node first part of file names
  /// @param address address of the node in the header of 3GPP files
  /// @param records most records of a file
  /// @param bytes most octets of the records of a file
  /// @param openTime age of the oldest record at which a file is closed
  public record Cdr(
      @FileName String directory,
      String format,
      String node,
      String address,
      int records,
      long bytes,
      Duration openTime) {
    public Cdr {
      require(
          directory.isEmpty() || java.nio.file.Files.isDirectory(Path.of(directory)),
          "directory must exist, or be empty",
          directory);
      require(
          List.of("3GPP", "CSV", "JSONL").contains(format),
          "format must be 3GPP, CSV or JSONL",
          format);
      require(node.matches("[A-Za-z0-9-]{1,40}"), "node must be 1 to 40 of A-Z a-z 0-9 -", node);
      require(
          address.matches("[0-9a-fA-F.:]{2,45}"),
          "address must be an IPv4 or IPv6 address",
          address);
      require(
          records >= 1 && records <= 1_000_000,
          "records must be 1 to 1000000",
          Integer.toString(records));
      require(
          bytes >= 1024 && bytes <= 1L << 28,
          "bytes must be 1024 to 268435456",
          Long.toString(bytes));
      between("open-time", openTime, Duration.ofSeconds(1), Duration.ofHours(24));
    }
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

  /// Times for which bills and personal data are kept.
  ///
  /// @param ledgerMonths whole months (UTC) of bills and postings that are kept before the present
  ///   one; 0 for all
  /// @param personalDataMonths whole months of peers' addresses and of reports as signed that are
  ///   kept before the present one; 0 for all
  public record Retention(int ledgerMonths, int personalDataMonths) {
    public Retention {
      requireMonths("ledger-months", ledgerMonths);
      requireMonths("personal-data-months", personalDataMonths);
    }

    // A report comes at most 31 days late, which are in two months.
    private static void requireMonths(String key, int months) {
      require(
          months == 0 || months >= 2 && months <= 1200,
          key + " must be 0, or 2 to 1200",
          Integer.toString(months));
    }
  }

  /// The payment provider, at whose page users pay.
  ///
  /// @param page address of the pay page; empty for none
  /// @param secretFile file with the secret that the provider signs its events with; required if
  ///   there is a page
  /// @param tolerance most difference between the time of a signature and billing's clock
  /// @param least smallest payment, denarii
  /// @param most largest payment, denarii
  public record Payments(
      String page, @FileName String secretFile, Duration tolerance, long least, long most) {
    public Payments {
      require(
          page.isEmpty() || page.matches("https?://[\\x21-\\x7e&&[^#]]{1,1000}"),
          "page must start with http:// or https:// and have no fragment, or be empty",
          page);
      require(
          page.isEmpty() || !secretFile.isEmpty(),
          "secret-file must be given with the page",
          secretFile);
      between("tolerance", tolerance, Duration.ofSeconds(1), Duration.ofHours(1));
      require(
          least >= 1 && least <= most && most <= DENARII_MAX,
          "least and most must be 1 to " + DENARII_MAX + " denarii, and least not above most",
          least + " and " + most);
      if (!secretFile.isEmpty()) {
        Secret.of(secretFile);
      }
    }
  }

  /// Topics of Apache Kafka.
  ///
  /// @param broker connection to the cluster; no bootstrap for none
  /// @param reports topic of reports
  /// @param verdicts topic of verdicts
  /// @param charges topic of charges; empty for none
  /// @param group consumer group of the billing instances
  /// @param batch reports of one transaction; it may have half as many more
  /// @param lanes most transactions at the same time
  /// @param deadline longest wait for the broker's acknowledgement of a record
  /// @param takeOver time after which the partitions of an instance that was killed go to others
  public record Kafka(
      BrokerSettings broker,
      String reports,
      String verdicts,
      String charges,
      String group,
      int batch,
      int lanes,
      Duration deadline,
      Duration takeOver) {
    private static final String TOPIC = "[A-Za-z0-9._-]{1,249}";

    public Kafka {
      require(reports.matches(TOPIC), "reports must match " + TOPIC, reports);
      require(verdicts.matches(TOPIC), "verdicts must match " + TOPIC, verdicts);
      require(
          charges.isEmpty() || charges.matches(TOPIC),
          "charges must match " + TOPIC + ", or be empty",
          charges);
      require(group.matches(TOPIC), "group must match " + TOPIC, group);
      require(batch >= 1 && batch <= 256, "batch must be 1 to 256", Integer.toString(batch));
      require(lanes >= 1 && lanes <= 32, "lanes must be 1 to 32", Integer.toString(lanes));
      between("deadline", deadline, Duration.ofSeconds(1), Duration.ofMinutes(2));
      between("take-over", takeOver, Duration.ofSeconds(1), Duration.ofMinutes(5));
    }

    /// Returns whether charges are published.
    public boolean publishes() {
      return broker.exists() && !charges.isEmpty();
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

  /// The database and its connection pool.
  ///
  /// @param url JDBC URL, or empty for the embedded PostgreSQL
  /// @param user role at that URL
  /// @param passwordFile file with the role's password, or empty
  /// @param ownerUser role at that URL that owns the tables and migrates them; empty: `user`
  /// @param ownerPasswordFile file with the owner's password, or empty
  /// @param dataDirectory directory of the embedded PostgreSQL; required if there is no URL
  /// @param binariesDirectory directory into which the programs of the embedded PostgreSQL are
  ///   unpacked; empty for the data directory
  /// @param connections size of the pool
  public record Database(
      String url,
      String user,
      @FileName String passwordFile,
      String ownerUser,
      @FileName String ownerPasswordFile,
      @FileName String dataDirectory,
      @FileName String binariesDirectory,
      int connections) {
    public Database {
      require(
          url.isEmpty() ? !dataDirectory.isEmpty() : url.startsWith("jdbc:postgresql:"),
          "url must start with jdbc:postgresql:, or be empty with a data-directory given",
          url);
      require(
          !url.contains("password="), "url must not hold a password: use password-file", "(url)");
      require(
          connections >= 2 && connections <= 200,
          "connections must be between 2 and 200",
          Integer.toString(connections));
      require(
          ownerUser.isEmpty() || !url.isEmpty() && !ownerUser.equals(user),
          "owner-user needs a url, and must not be user",
          ownerUser);
      for (String file : List.of(passwordFile, ownerPasswordFile)) {
        if (!file.isEmpty()) {
          Secret.of(file);
        }
      }
    }

    /// Returns the directory into which the programs of the embedded PostgreSQL are unpacked.
    public Path binaries() {
      return binariesDirectory.isEmpty()
          ? Path.of(dataDirectory, "binaries")
          : Path.of(binariesDirectory);
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

  /// Lifetime of logins, and the throttle for wrong passwords.
  ///
  /// @param lifetime lifetime of a login
  /// @param wrongPasswords wrong passwords that are free: for one name from one source, or for one
  ///   known browser
  /// @param throttle pause between further attempts of that source
  /// @param knownBrowserPause pause between further attempts of that known browser
  /// @param wrongPasswordsPerSource wrong passwords within a minute from one source, for all names
  /// @param wrongPasswordsPerName wrong passwords from all sources before attempts for the name
  ///   must wait
  /// @param namePause pause between further attempts for that name
  /// @param passwordHashes most passwords that are hashed at the same time
  public record Sessions(
      Duration lifetime,
      int wrongPasswords,
      Duration throttle,
      Duration knownBrowserPause,
      int wrongPasswordsPerSource,
      int wrongPasswordsPerName,
      Duration namePause,
      int passwordHashes) {
    public Sessions {
      between("lifetime", lifetime, Duration.ofSeconds(1), Duration.ofDays(30));
      between("throttle", throttle, Duration.ofMillis(100), Duration.ofHours(24));
      require(
          wrongPasswords >= 1 && wrongPasswords <= 100,
          "wrong-passwords must be between 1 and 100",
          Integer.toString(wrongPasswords));
      between(
          "known-browser-pause", knownBrowserPause, Duration.ofMillis(100), Duration.ofMinutes(1));
      between("name-pause", namePause, Duration.ofMillis(100), Duration.ofMinutes(1));
      require(
          wrongPasswordsPerSource >= wrongPasswords && wrongPasswordsPerSource <= 10_000,
          "wrong-passwords-per-source must be between wrong-passwords and 10000",
          Integer.toString(wrongPasswordsPerSource));
      require(
          wrongPasswordsPerName >= wrongPasswords && wrongPasswordsPerName <= 10_000,
          "wrong-passwords-per-name must be between wrong-passwords and 10000",
          Integer.toString(wrongPasswordsPerName));
      require(
          passwordHashes >= 1 && passwordHashes <= 256,
          "password-hashes must be between 1 and 256",
          Integer.toString(passwordHashes));
    }
  }

  /// Ways to log in beside the password.
  ///
  /// @param totp `optional` or `required`: whether operators and auditors must have a second factor
  /// @param oidc an OpenID Connect provider
  public record Users(String totp, Oidc oidc) {
    private static final String REQUIRED = "required";

    public Users {
      require(
          List.of("optional", REQUIRED).contains(totp), "totp must be optional or required", totp);
    }

    /// Returns true if operators and auditors must have a second factor.
    public boolean requiresTotp() {
      return totp.equals(REQUIRED);
    }
  }

  /// An OpenID Connect provider whose ID tokens the pages bring.
  ///
  /// @param issuer its URL, as its tokens have it; empty for none
  /// @param clientId client that tokens must be for: the pages
  /// @param accountClaim claim with the name of an account that is made
  /// @param create true if a log-in makes a missing account
  /// @param roleClaim claim with the role, or a path such as `realm_access.roles`; empty if the
  ///   provider says nothing about roles
  /// @param roles role by the value of that claim
  public record Oidc(
      String issuer,
      String clientId,
      String accountClaim,
      boolean create,
      String roleClaim,
      Map<String, String> roles) {
    public Oidc {
      require(
          issuer.isEmpty()
              || issuer.matches(
                  "(https://|http://(127\\.0\\.0\\.1|localhost)[:/])[\\x21-\\x7e&&[^?#]]{1,1000}"),
          "issuer must be https://… without query and fragment, or empty",
          issuer);
      require(
          issuer.isEmpty() || !clientId.isEmpty(),
          "client-id must be given with the issuer",
          clientId);
      require(
          accountClaim.matches("[A-Za-z0-9_.:/-]{1,128}"),
          "account-claim must be the name of a claim",
          accountClaim);
      roles = Map.copyOf(roles);
      roles.forEach((value, role) ->
          require(
              List.of("user", "operator", "auditor", "snapt-owner").contains(role),
              "roles must map values of the claim to user, operator, auditor or snapt-owner",
              value + ": " + role));
    }
  }

  private static void requireLineRate(long rate) {
    require(
        rate >= 1 && rate <= LINE_RATE_MAX,
        "line-rate must be 1 to " + LINE_RATE_MAX + " bit/s",
        Long.toString(rate));
  }

  private static void requireDenarii(String key, long denarii) {
    require(
        denarii >= 1 && denarii <= DENARII_MAX,
        key + " must be 1 to " + DENARII_MAX + " denarii",
        Long.toString(denarii));
  }

  private static void requirePort(int port) {
    require(port >= 0 && port <= 65535, "port must be 0 to 65535", Integer.toString(port));
  }
}
