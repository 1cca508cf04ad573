package io.viaduct.billing;

import io.viaduct.billing.account.LoginThrottle;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.SettlementRules;
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

/// The configuration of danum-billing; the defaults and their reasons are in
/// `BillingConfiguration.yml` beside this record.
///
/// @param rest where the HTTP interface listens
/// @param grpc where the bridge reaches mediation, and who that may be
/// @param tls PEM files for gRPC
/// @param operations where metrics and health are served
/// @param logging format and level
/// @param database embedded, or any PostgreSQL by URL
/// @param sipDomain home domain of the users, realm of their SIP credentials: the bridge's `domain`
/// @param credentials keys that SIP credentials are sealed with
/// @param imports files that are read at the start and at SIGHUP
/// @param devicesMax device keys of one account
/// @param operator the first operator, created or given this password at every start
/// @param sessions lifetime of logins, throttling of wrong passwords
/// @param graceTime from the end of an interval until it is settled
/// @param adjustmentTime from the end of an interval until a report of it is refused as too late
/// @param settlementPeriod how often due intervals are settled
/// @param verificationPeriod how often imbalance and accounts below zero are recomputed
/// @param ledgerVerificationPeriod how often every invariant of the ledger is recomputed
/// @param snaptOwners owner by SNAPT id: who earns the provider's fee
/// @param defaultOwner owner of every SNAPT not named there
/// @param snaptLineRates bit/s in each direction, by SNAPT id: a report of more bytes is refused
/// @param defaultLineRate of every SNAPT not named there
/// @param tokenAudience group of SNAPTs that session tokens must be for: the bridge's
///   token.audience
/// @param chargeBound denarii of one account for intervals that end in one minute; more is held
/// @param unsigned what is posted without the device's receipt
/// @param heldReports of one SNAPT that wait for the operator; more are deferred
public record BillingConfiguration(
    Rest rest,
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
    Duration graceTime,
    Duration adjustmentTime,
    Duration settlementPeriod,
    Duration verificationPeriod,
    Duration ledgerVerificationPeriod,
    Map<String, String> snaptOwners,
    String defaultOwner,
    Map<String, Long> snaptLineRates,
    long defaultLineRate,
    String tokenAudience,
    long chargeBound,
    Unsigned unsigned,
    int heldReports) {
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
    between(
        "ledger-verification-period",
        ledgerVerificationPeriod,
        Duration.ofSeconds(1),
        Duration.ofDays(7));
    require(defaultOwner.matches(NAME), "default-owner must match " + NAME, defaultOwner);
    snaptOwners.forEach((snapt, owner) ->
        require(
            snapt.matches(NAME) && owner.matches(NAME),
            "snapt-owners must map names to names that match " + NAME,
            snapt + ": " + owner));
    snaptOwners = Map.copyOf(snaptOwners);
    snaptLineRates.forEach((snapt, rate) -> {
      require(snapt.matches(NAME), "snapt-line-rates must map names that match " + NAME, snapt);
      requireLineRate("snapt-line-rates", rate);
    });
    snaptLineRates = Map.copyOf(snaptLineRates);
    requireLineRate("default-line-rate", defaultLineRate);
    require(tokenAudience.matches(NAME), "token-audience must match " + NAME, tokenAudience);
    requireDenarii("charge-bound", chargeBound);
    require(
        heldReports >= 1 && heldReports <= 1_000_000,
        "held-reports must be 1 to 1000000",
        Integer.toString(heldReports));
  }

  /// The owner who earns the provider's fee of a SNAPT.
  public String ownerOf(String snapt) {
    return snaptOwners.getOrDefault(snapt, defaultOwner);
  }

  /// What is posted, when it is settled, and what is held.
  public SettlementRules settlementRules() {
    return new SettlementRules(
        graceTime,
        adjustmentTime,
        this::ownerOf,
        new SettlementRules.Bounds(
            MicroDenarii.ofDenarii(chargeBound),
            MicroDenarii.ofDenarii(unsigned.boundPerAccount()),
            heldReports));
  }

  /// The line rate of a SNAPT, bit/s in each direction.
  public long lineRateOf(String snapt) {
    return snaptLineRates.getOrDefault(snapt, defaultLineRate);
  }

  /// @param boundPerAccount denarii of an account that may be outstanding; more is held
  /// @param decideAfter from the end of an interval until the operator may decide about it
  public record Unsigned(long boundPerAccount, Duration decideAfter) {
    public Unsigned {
      require(
          boundPerAccount >= 0 && boundPerAccount <= DENARII_MAX,
          "bound-per-account must be 0 to " + DENARII_MAX,
          Long.toString(boundPerAccount));
      between("decide-after", decideAfter, Duration.ofSeconds(1), Duration.ofDays(31));
    }
  }

  /// Where the HTTP interface listens. Port 0 takes a free one and logs it.
  ///
  /// @param trustedProxies addresses and networks whose `X-Forwarded-For` names the visitor: web
  ///   GUI and TLS proxies
  public record Rest(String host, int port, TrustedProxies trustedProxies) {
    public Rest {
      requirePort(port);
    }
  }

  /// @param peers common names of the certificates that may submit reports
  public record Grpc(String host, int port, List<String> peers) {
    public Grpc {
      requirePort(port);
      require(!peers.isEmpty(), "peers must name at least one certificate", "[]");
      peers = List.copyOf(peers);
    }
  }

  /// @param url JDBC URL, or empty for the embedded PostgreSQL
  /// @param user role at that URL
  /// @param passwordFile file with its password, or empty
  /// @param dataDirectory of the embedded PostgreSQL; needed where no URL is given
  /// @param binariesDirectory where its programs are unpacked; empty for the data directory
  /// @param connections size of the pool
  public record Database(
      String url,
      String user,
      @FileName String passwordFile,
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
      if (!passwordFile.isEmpty()) {
        Secret.of(passwordFile);
      }
    }

    /// Where the programs of the embedded PostgreSQL are unpacked.
    public Path binaries() {
      return binariesDirectory.isEmpty()
          ? Path.of(dataDirectory, "binaries")
          : Path.of(binariesDirectory);
    }

    /// Whether the embedded PostgreSQL is to be started.
    public boolean embedded() {
      return url.isEmpty();
    }
  }

  /// @param keyFile 32 bytes in base64, mode 600; made at the first start if it does not exist
  /// @param formerKeyFiles keys that credentials may still be sealed with; each start seals those
  ///   anew with the current one
  public record Credentials(Path keyFile, List<Path> formerKeyFiles) {
    public Credentials {
      formerKeyFiles = List.copyOf(formerKeyFiles);
    }
  }

  /// @param subscribers file of users, as the bridge had it; empty: none
  public record Imports(@FileName String subscribers) {}

  /// @param user account id
  /// @param passwordFile file with the password
  public record Operator(String user, Secret passwordFile) {
    public Operator {
      require(user.matches(NAME), "user must match " + NAME, user);
    }
  }

  /// @param lifetime of a login
  /// @param wrongPasswords for one name from one source, or of one known browser, before the
  ///   throttle
  /// @param throttle then one more attempt of the source after this time
  /// @param knownBrowserPause then one more attempt of the known browser after this time
  /// @param wrongPasswordsPerSource within a minute from one source, for all names
  /// @param wrongPasswordsPerName from all sources before attempts have to wait
  /// @param namePause then one more attempt after this time
  public record Sessions(
      Duration lifetime,
      int wrongPasswords,
      Duration throttle,
      Duration knownBrowserPause,
      int wrongPasswordsPerSource,
      int wrongPasswordsPerName,
      Duration namePause) {
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
    }

    LoginThrottle.Budgets budgets() {
      return new LoginThrottle.Budgets(
          wrongPasswords,
          throttle,
          knownBrowserPause,
          wrongPasswordsPerSource,
          wrongPasswordsPerName,
          namePause);
    }
  }

  private static void requireLineRate(String key, long rate) {
    require(
        rate >= 1 && rate <= LINE_RATE_MAX,
        key + " must be 1 to " + LINE_RATE_MAX + " bit/s",
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

  private static void between(String key, Duration value, Duration least, Duration most) {
    require(
        value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
        key + " must be between " + least + " and " + most,
        value.toString());
  }

  private static void require(boolean holds, String rule, String value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got '" + value + "'");
    }
  }
}
