package io.viaduct.billing;

import com.zaxxer.hikari.HikariDataSource;
import io.grpc.BindableService;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.account.KnownBrowsers;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginThrottle;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.database.PendingDataSource;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerMeters;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.mediation.HeldReportRelease;
import io.viaduct.billing.mediation.MediationEndpoint;
import io.viaduct.billing.mediation.MediationService;
import io.viaduct.billing.mediation.ProofRules;
import io.viaduct.billing.mediation.RefusedReports;
import io.viaduct.billing.mediation.SeenTokenKeys;
import io.viaduct.billing.provisioning.CredentialKeys;
import io.viaduct.billing.provisioning.Devices;
import io.viaduct.billing.provisioning.ProvisioningService;
import io.viaduct.billing.provisioning.SipCredentials;
import io.viaduct.billing.provisioning.SubscriberChanges;
import io.viaduct.billing.provisioning.SubscriberImport;
import io.viaduct.billing.provisioning.Users;
import io.viaduct.billing.rest.RestServer;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.SequenceGaps;
import io.viaduct.billing.settlement.Settlement;
import io.viaduct.billing.settlement.SettlementClock;
import io.viaduct.billing.settlement.UndecidedGauges;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// The composition root. It makes every part of billing, in the order in which a report passes
/// through them.
public final class BillingService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BillingService.class);

  private static final Duration START_PATIENCE = Duration.ofSeconds(30);

  private final BillingConfiguration configuration;
  private final InstantSource clock;
  private final Readiness readiness = new Readiness("database", "rest", "mediation");
  private final List<Closing> closings = new ArrayList<>(); // guarded by itself
  private boolean closed; // guarded by closings
  private final ReentrantLock starting = new ReentrantLock();

  private volatile @Nullable EmbeddedDatabase embedded; // written by the thread that opens it
  private volatile @Nullable SubscriberImport subscribers; // null until the database is open
  private volatile @Nullable ExchangeableTls tls; // written by the thread that starts
  private volatile @Nullable MeterRegistry meters; // written by the thread that starts
  private int restPort;
  private int grpcPort;
  private int operationsPort;

  /// The kinds of parts, in the order in which they stop: entrances first, their foundations last.
  private enum Part {
    PROVISIONING,
    MEDIATION,
    SETTLEMENT,
    REST,
    CONNECTIONS,
    DATABASE,
    OPERATIONS,
    METRICS
  }

  private record Closing(Part what, AutoCloseable part) {}

  /// Takes the configuration; nothing starts yet.
  ///
  /// @param clock the only clock that billing's decisions use
  public BillingService(BillingConfiguration configuration, InstantSource clock) {
    this.configuration = configuration;
    this.clock = clock;
  }

  /// Starts all parts. After a failure, [#close] stops the parts that had started.
  ///
  /// @throws IOException if an address or the database is not available
  public void start() throws IOException {
    starting.lock();
    CompletableFuture<HikariDataSource> opening = openDatabase();
    try {
      startParts(opening);
    } finally {
      // Even after a failure, wait until PostgreSQL has started or failed: only then can it be
      // stopped.
      opening.handle((_, _) -> true).join();
      starting.unlock();
    }
  }

  private void startParts(CompletableFuture<HikariDataSource> opening) throws IOException {
    ExchangeableTls files = new ExchangeableTls(TlsMaterial.load(configuration.tls()));
    tls = files;
    ProcessMetrics metrics = keep(Part.METRICS, new ProcessMetrics("danum-billing", getClass()));
    MeterRegistry registry = metrics.registry();
    meters = registry;
    CertificateMeters.bind(registry, files);
    OperationsEndpoint operations =
        keep(Part.OPERATIONS, new OperationsEndpoint(metrics, readiness));
    operationsPort = operations.listen(configuration.operations()).getPort();

    // Requests also wait for the first operator: before that, the right password would be refused.
    CompletableFuture<HikariDataSource> database = opening.thenApply(this::withFirstRows);
    PendingDataSource pool = new PendingDataSource(database);
    JdbcTemplate batches = new JdbcTemplate(pool);
    JdbcClient jdbc = JdbcClient.create(batches);
    JdbcTransactionManager transactions = new JdbcTransactionManager(pool);
    TransactionTemplate transaction = new TransactionTemplate(transactions);

    TariffBook tariffs = new TariffBook(jdbc, transaction);
    Ledger ledger = new Ledger(batches);
    LedgerVerification verification = new LedgerVerification(jdbc, transactions);
    Accounts accounts = new Accounts(jdbc, transaction, ledger, new Passwords());
    LoginSessions logins = new LoginSessions(jdbc, configuration.sessions().lifetime());
    CredentialKeys keys =
        CredentialKeys.load(
            configuration.credentials().keyFile(), configuration.credentials().formerKeyFiles());
    SipCredentials credentials =
        new SipCredentials(jdbc, transaction, keys, configuration.sipDomain());
    Devices devices = new Devices(jdbc, transaction, accounts, configuration.devicesMax());
    Users users =
        new Users(
            transaction, accounts, logins, credentials, devices, configuration.operator().user());
    RefusedReports refused = new RefusedReports(batches);
    ReportPosting posting =
        new ReportPosting(transaction, batches, tariffs, ledger, configuration.settlementRules());
    SeenTokenKeys tokenKeys = new SeenTokenKeys(jdbc);
    ProofRules proofs = new ProofRules(configuration::lineRateOf, configuration.tokenAudience());
    HeldReports held = new HeldReports(jdbc);
    UnsignedIntervals unsigned =
        new UnsignedIntervals(transaction, jdbc, ledger, configuration.unsigned().decideAfter());
    Settlement settlement = new Settlement(transaction, jdbc, tariffs, ledger);

    RestServer rest =
        listenRest(
            new RestServer.Parts(
                accounts,
                users,
                devices,
                logins,
                new LoginThrottle(configuration.sessions().budgets(), clock, Thread::sleep),
                KnownBrowsers.of(configuration.tls().privateKey()),
                configuration.rest().trustedProxies(),
                new TopUps(transaction, jdbc, ledger),
                new Credits(transaction, jdbc, ledger),
                ledger,
                verification,
                tariffs,
                refused,
                new SequenceGaps(jdbc),
                held,
                listener -> new HeldReportRelease(held, tokenKeys, proofs, posting, listener),
                unsigned,
                jdbc,
                registry,
                clock));

    HikariDataSource connections = await(database);
    if (embedded instanceof EmbeddedDatabase ownDatabase) {
      ownDatabase.supervise(registry);
    }
    renewSeals(credentials);
    subscribers = new SubscriberImport(transaction, accounts, credentials, clock);
    importSubscribers(configuration.imports());
    readiness.cleared("database");

    SettlementClock settlementClock =
        keep(
            Part.SETTLEMENT,
            new SettlementClock(
                settlement, jdbc, rest.listener(), this::databaseAnswered, clock, registry));
    settlementClock.start(configuration.settlementPeriod());
    watch(settlementClock, verification, connections, registry);
    UndecidedGauges undecided = new UndecidedGauges(held, unsigned, clock, registry);
    settlementClock.every(configuration.verificationPeriod(), undecided::read);

    ProvisioningService provisioning =
        keep(
            Part.PROVISIONING,
            new ProvisioningService(jdbc, credentials, devices, clock, registry));
    var unused =
        keep(
            Part.PROVISIONING,
            SubscriberChanges.start(Migrations.outsidePool(connections), provisioning));
    listenMediation(
        files,
        List.of(
            new MediationService(
                posting, tokenKeys, proofs, refused, rest.listener(), clock, registry),
            provisioning),
        registry);
    LOG.info(
        "billing is ready: rest http://{}:{}, mediation {}:{}",
        configuration.rest().host(),
        restPort,
        configuration.grpc().host(),
        grpcPort);
  }

  private RestServer listenRest(RestServer.Parts parts) throws IOException {
    BillingConfiguration.Rest endpoint = configuration.rest();
    RestServer rest =
        keep(
            Part.REST,
            Listening.on(
                "rest.host",
                "rest.port",
                "TCP",
                endpoint.host(),
                endpoint.port(),
                () -> RestServer.start(endpoint.host(), endpoint.port(), parts)));
    restPort = rest.port();
    readiness.cleared("rest");
    return rest;
  }

  /// Imports the file of users that the configuration names, if it names one. Called at the start,
  /// and whenever the file may have changed.
  ///
  /// @throws ConfigurationException naming file, user and rule; then nothing was imported
  public void importSubscribers(BillingConfiguration.Imports imports) {
    SubscriberImport into = subscribers;
    if (into != null && !imports.subscribers().isEmpty()) {
      var unused = into.importFrom(Path.of(imports.subscribers()));
    }
  }

  /// Returns the reload of the configuration of this running billing.
  ConfigurationReload<BillingConfiguration> reload(
      ConfigurationSource<BillingConfiguration> source, ConfigurationKeys running) {
    return new ConfigurationReload<>(
        source,
        running,
        BillingReload.parts(this, clock),
        Objects.requireNonNull(meters, "billing is started first"),
        clock);
  }

  ExchangeableTls tls() {
    return Objects.requireNonNull(tls, "billing is started first");
  }

  private void renewSeals(SipCredentials credentials) {
    try {
      int renewed = credentials.renewSeals(clock.instant());
      if (renewed > 0) {
        LOG.info(
            "{} SIP credentials were sealed with the current key: the former key files are not needed any more",
            renewed);
      }
    } catch (SipCredentials.UnknownKeyException e) {
      throw new ConfigurationException(String.valueOf(e.getMessage()));
    }
  }

  private void listenMediation(
      ExchangeableTls tls, List<BindableService> services, MeterRegistry meters)
      throws IOException {
    BillingConfiguration.Grpc grpc = configuration.grpc();
    MediationEndpoint endpoint =
        keep(
            Part.MEDIATION,
            Listening.on(
                "grpc.host",
                "grpc.port",
                "TCP",
                grpc.host(),
                grpc.port(),
                () ->
                    MediationEndpoint.start(
                        new InetSocketAddress(grpc.host(), grpc.port()),
                        tls,
                        grpc.peers(),
                        services,
                        meters)));
    grpcPort = endpoint.port();
    readiness.cleared("mediation");
  }

  private void databaseAnswered(boolean isAvailable) {
    if (isAvailable) {
      readiness.cleared("database");
    } else {
      readiness.obstructed("database", "it does not answer, reports are deferred");
    }
  }

  // A thread of its own, so that PostgreSQL and the HTTP interface start at the same time.
  private CompletableFuture<HikariDataSource> openDatabase() {
    CompletableFuture<HikariDataSource> opening = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("database-start")
        .start(() -> {
          try {
            opening.complete(
                keep(
                    Part.CONNECTIONS,
                    Migrations.open(database(), configuration.database().connections())));
          } catch (IOException | RuntimeException e) {
            opening.completeExceptionally(e);
          }
        });
    return opening;
  }

  /// Adds the first tariff and the first operator to a new database.
  private HikariDataSource withFirstRows(HikariDataSource connections) {
    JdbcTemplate batches = new JdbcTemplate(connections);
    JdbcClient jdbc = JdbcClient.create(batches);
    TransactionTemplate transaction =
        new TransactionTemplate(new JdbcTransactionManager(connections));
    new TariffBook(jdbc, transaction).storeInitial(clock.instant());
    new Accounts(jdbc, transaction, new Ledger(batches), new Passwords())
        .bootstrapOperator(
            configuration.operator().user(),
            configuration.operator().passwordFile().reveal(),
            clock.instant());
    return connections;
  }

  private static HikariDataSource await(CompletableFuture<HikariDataSource> opening)
      throws IOException {
    try {
      return opening.join();
    } catch (CompletionException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      throw new IOException("the database did not start: " + why.getMessage(), why);
    }
  }

  private DatabaseAddress database() throws IOException {
    BillingConfiguration.Database database = configuration.database();
    if (database.embedded()) {
      EmbeddedDatabase started =
          keep(
              Part.DATABASE,
              EmbeddedDatabase.start(
                  Path.of(database.dataDirectory()),
                  database.binaries(),
                  EmbeddedDatabase.Durability.DURABLE));
      embedded = started;
      return started.address();
    }
    return external(database);
  }

  static DatabaseAddress external(BillingConfiguration.Database database) {
    return new DatabaseAddress(
        database.url(),
        database.user(),
        database.passwordFile().isEmpty() ? "" : Secret.of(database.passwordFile()).reveal());
  }

  private void watch(
      SettlementClock settlementClock,
      LedgerVerification verification,
      HikariDataSource pool,
      MeterRegistry meters) {
    Gauge.builder("viaduct.database.connections", pool, BillingService::connections)
        .description("Connections in use")
        .register(meters);
    Gauge.builder("viaduct.database.connections.max", configuration.database()::connections)
        .description("Most connections that may be in use: database.connections")
        .register(meters);
    LedgerMeters ledger = new LedgerMeters(verification, clock, meters);
    settlementClock.every(configuration.verificationPeriod(), ledger::refresh);
    settlementClock.atOnceAndEvery(configuration.ledgerVerificationPeriod(), ledger::verify);
  }

  private static int connections(HikariDataSource pool) {
    return pool.getHikariPoolMXBean() == null
        ? 0
        : pool.getHikariPoolMXBean().getActiveConnections();
  }

  private <T extends AutoCloseable> T keep(Part what, T part) throws IOException {
    synchronized (closings) {
      if (!closed) {
        closings.add(new Closing(what, part));
        return part;
      }
    }
    stop(new Closing(what, part));
    throw new IOException("stopped while starting");
  }

  /// Returns the port of the HTTP interface.
  public int restPort() {
    return restPort;
  }

  /// Returns the port of mediation.
  public int grpcPort() {
    return grpcPort;
  }

  /// Returns the port of `/metrics`, `/livez` and `/readyz`.
  public int operationsPort() {
    return operationsPort;
  }

  /// Stops all parts. Readiness ends first, then running calls finish with their commit, and the
  /// database stops last. A second call does nothing.
  @Override
  public void close() {
    readiness.obstructed("stopping", "the process was asked to end");
    synchronized (closings) {
      closed = true;
    }
    awaitStart();
    List<Closing> parts;
    synchronized (closings) {
      parts = new ArrayList<>(closings);
      closings.clear();
    }
    parts.sort(Comparator.comparing(Closing::what));
    parts.forEach(BillingService::stop);
  }

  // Waits until a part that is starting has started, because only then it can be stopped.
  private void awaitStart() {
    try {
      if (starting.tryLock(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        starting.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stop(Closing closing) {
    try {
      closing.part().close();
    } catch (Exception e) {
      LOG.warn("{} did not stop cleanly: {}", closing.what(), e.toString());
    }
  }
}
