package io.viaduct.testbed.chaos;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.process.SupervisedService;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The system that the faults strike: billing with its own PostgreSQL, the bridge, two SNAPTs, two
/// agents of two accounts on one device, and a counted flow of each account.
final class ChaosLab {
  /// Names of all services.
  static final List<String> SERVICES =
      List.of("danum-billing", "ims-bridge", "snapt-1", "snapt-2", "cnapt", "cnapt-2");

  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration BILLING_PATIENCE = Duration.ofSeconds(90);
  private static final int RESTARTS_PER_MINUTE = 30;
  private static final long CREDIT = 1_000_000_000_000L; // micro-denarii, enough for terabytes
  private static final int DATABASE_MIB = 512;
  private static final int SNAPT_MIB = 16;
  private static final String BOBS_SERVER = Topology.SERVER_BESIDE;

  final Topology network;
  final Deployment deployment;
  final Postgres postgres;
  final SmallDisk databaseDisk;
  final List<SmallDisk> snaptDisks;
  private final Path classPath;
  private final Transport transport;
  private final SupervisedService.Listener listener;
  private @Nullable Broker broker;
  private String token = ""; // keys of the bridge's configuration of tokens
  private final Passwords passwords = Passwords.draw(new SecureRandom());
  private List<CountedLoad> loads = List.of();

  /// Lays the network and writes the files; starts nothing.
  ///
  /// @param directory private to this run
  ChaosLab(Path clone, Path directory, Transport transport, SupervisedService.Listener listener)
      throws Exception {
    this.transport = transport;
    this.listener = listener;
    classPath = clone.resolve("lab/testbed/target/test.classpath");
    network = Topology.lay(NetworkPlan.STANDARD);
    NetworkCut.Port.prepare(network.control);
    databaseDisk = SmallDisk.mount(directory.resolve("postgres"), DATABASE_MIB);
    deployment =
        Deployment.prepare(clone, directory, passwords, INTERVAL, System::nanoTime, listener);
    deployment.restartsPerMinute(RESTARTS_PER_MINUTE);
    postgres = new Postgres(databaseDisk.directory());
    snaptDisks =
        List.of(
            SmallDisk.mount(directory.resolve("snapt-1"), SNAPT_MIB),
            SmallDisk.mount(directory.resolve("snapt-2"), SNAPT_MIB));
  }

  /// Sets the lifetime of the bridge's tokens; called before the start.
  ///
  /// @param lifetime as the bridge's configuration spells it, for example `20s`
  void tokenLifetime(String lifetime) {
    token = "lifetime: " + lifetime + ", ";
  }

  /// Starts everything and the load, and waits until both accounts carry.
  void start() throws IOException {
    Plans plans = deployment.plans();
    network.server.ip("addr add %s/24 dev core0".formatted(BOBS_SERVER));
    network.device.ip(
        "rule add priority 30290 to %s lookup %d".formatted(BOBS_SERVER, Plans.SECOND_AGENT_TABLE));
    start(List.of(billing(plans), bridge(plans), plans.snapt(1), plans.snapt(2)));
    BillingClient operator = operator();
    operator.createAccount("alice", passwords.alice(), "Alice");
    operator.createAccount("bob", passwords.bob(), "Bob");
    operator.topUp("alice", CREDIT, "chaos-alice");
    operator.topUp("bob", CREDIT, "chaos-bob");
    start(List.of(plans.agent(), plans.secondAgent()));
    loads =
        List.of(
            CountedLoad.start(network, Topology.SERVER, 900, 100, System::nanoTime),
            CountedLoad.start(network, BOBS_SERVER, 160, 50, System::nanoTime));
  }

  private ServicePlan billing(Plans plans) throws IOException {
    if (transport == Transport.GRPC) {
      return plans.billing(2);
    }
    broker =
        Broker.start(
            classPath,
            deployment.directory(),
            network.control,
            RESTARTS_PER_MINUTE,
            listener,
            System::nanoTime);
    return plans.billing(2).with(Broker.lines(Broker.BILLING_PORT));
  }

  private ServicePlan bridge(Plans plans) {
    ServicePlan plan = plans.bridge();
    plan = plan.withConfiguration(plan.configuration().replace("token: {", "token: {" + token));
    return transport == Transport.GRPC
        ? plan
        : plan.with("reports: {transport: kafka}\n" + Broker.lines(Broker.BRIDGE_PORT));
  }

  /// Returns the broker.
  ///
  /// @throws IllegalStateException in a run without one
  Broker broker() {
    Broker present = broker;
    if (present == null) {
      throw new IllegalStateException("this run has no broker");
    }
    return present;
  }

  /// Waits until the broker answers, if there is one.
  void awaitBroker() {
    if (broker != null) {
      broker.awaitAnswer();
    }
  }

  private void start(List<ServicePlan> plans) throws IOException {
    for (ServicePlan plan : plans) {
      deployment.start(plan);
    }
    for (ServicePlan plan : plans) {
      deployment.awaitReady(plan.name());
    }
  }

  /// Returns the counted flows.
  List<CountedLoad> loads() {
    return loads;
  }

  /// Returns a new session of the operator. A restart of billing ends older ones.
  BillingClient operator() throws IOException {
    String url = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    return new BillingClient(url, new Retry(BILLING_PATIENCE, System::nanoTime))
        .logIn("operator", passwords.operator());
  }

  /// Returns the reports of a SNAPT that billing has not posted.
  long reportsPending(String snapt) throws IOException {
    return StatusSocket.read(deployment.plans().socket(snapt)).path("reportsPending").asLong()
        - receiptsOwed(snapt);
  }

  /// Returns the reports of a SNAPT that lack the signature of a device which has gone to another
  /// SNAPT. Billing has posted them provisionally, and the SNAPT keeps them until it comes back.
  long receiptsOwed(String snapt) throws IOException {
    return deployment.metric(snapt, "viaduct_receipts_owed");
  }
}
