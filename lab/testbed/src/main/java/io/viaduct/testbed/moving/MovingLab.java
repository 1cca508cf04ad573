package io.viaduct.testbed.moving;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.BridgesPlan;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.DualStack;
import io.viaduct.testbed.deployment.GroupPlan;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One device, SNAPTs, of which the first has an address of each family, as many bridges as the
/// network has hosts for, and billing, in namespaces. The names of the hosts stand in a file of
/// this laboratory alone.
final class MovingLab {
  static final int TEXT_PORT = 80;
  static final int STREAM_PORT = 5004;
  private static final long CREDIT = 1_000_000_000_000L; // micro-denarii, enough for terabytes
  private static final long PATIENCE_NS = Duration.ofSeconds(60).toNanos();

  final Topology network;
  final Deployment deployment;
  final FarHost server;
  final SnaptOrders orders;
  final AgentView agent;
  final BridgesPlan bridges;
  private final Passwords passwords = Passwords.draw(new SecureRandom());
  private final String agentLines;
  private final String snaptLines;
  private @Nullable BillingClient billing;
  private int snapts = 1;
  private boolean isGroup;
  private final Map<String, ServicePlan> plans = new HashMap<>();
  private String opened = ""; // entries of egress.allow
  private String billingLines = "";
  private String token = ""; // lines of the bridge's configuration of tokens

  /// @param agentLines added to the agent's configuration
  /// @param snaptLines added to that of the SNAPT
  MovingLab(Path root, Path directory, NetworkPlan plan, String agentLines, String snaptLines)
      throws Exception {
    this.agentLines = agentLines;
    this.snaptLines = snaptLines;
    network = Topology.lay(plan);
    DualStack.nameSnapt(directory);
    bridges = new BridgesPlan(plan.bridges());
    bridges.nameBridges(directory);
    deployment =
        Deployment.prepare(root, directory, passwords, Duration.ofSeconds(5), System::nanoTime);
    server = new FarHost(network);
    orders = new SnaptOrders(deployment, passwords.rest());
    agent = agent("cnapt");
  }

  /// Returns the view of an agent.
  ///
  /// @param name of its process
  AgentView agent(String name) {
    return new AgentView(deployment.plans().socket(name));
  }

  /// Sets the lifetime of the bridge's tokens; called before the start.
  ///
  /// @param lifetime as the bridge's configuration spells it, for example `20s`
  void tokenLifetime(String lifetime) {
    token = "lifetime: " + lifetime + ", ";
  }

  /// Adds lines to billing's configuration; called before the start.
  void billingLines(String lines) {
    billingLines = lines;
  }

  /// Starts this many SNAPTs; called before the start. The network must have hosts for them.
  MovingLab withSnapts(int count) {
    snapts = count;
    return this;
  }

  /// Starts this many SNAPTs of one group; called before the start.
  MovingLab withGroup(int members) {
    isGroup = true;
    return withSnapts(members);
  }

  /// Lets devices reach an address of the SNAPTs' own hosts; called before the start.
  ///
  /// @param rule an entry of `egress.allow`
  void openAtSnapts(String rule) {
    opened = "\"%s\", ".formatted(rule);
  }

  /// Starts everything, and waits until the tunnel carries.
  void start() throws Exception {
    startServices();
    startAgent();
  }

  /// Starts everything but the agents.
  void startServices() throws Exception {
    server.start();
    if (isGroup) {
      new GroupPlan(snapts).route(network);
    }
    Plans made = deployment.plans();
    int enrolled = Math.min(snapts, Deployment.ENROLLED);
    List<ServicePlan> first = new ArrayList<>(List.of(made.billing(enrolled).with(billingLines)));
    first.addAll(bridges());
    if (bridges.count() > 1) { // otherwise a SNAPT stays at the one that is ready first
      start(first);
      first.clear();
    }
    first.addAll(snapts(1, enrolled));
    start(first);
    fund();
    startSnapts(enrolled + 1, snapts);
  }

  /// Starts Alice's agent, and waits until the tunnel carries.
  void startAgent() throws IOException {
    start(List.of(deployment.plans().agent().with(agentLines)));
  }

  private List<ServicePlan> bridges() {
    return bridges.bridges(deployment.plans(), deployment.directory()).stream()
        .map(each ->
            each.withConfiguration(each.configuration().replace("token: {", "token: {" + token)))
        .toList();
  }

  /// Enrols and starts SNAPTs that billing does not know from its configuration.
  ///
  /// @param first number of the first one; none if it is above the last one
  void startSnapts(int first, int last) throws IOException {
    for (int number = first; number <= last; number++) {
      billing().enrol("snapt-" + number, deployment.addSnapt(number), "acme");
    }
    start(snapts(first, last));
  }

  private List<ServicePlan> snapts(int first, int last) {
    List<ServicePlan> made = new ArrayList<>();
    for (int number = first; number <= last; number++) {
      ServicePlan closed = deployment.plans().snapt(number);
      ServicePlan plan =
          closed.withConfiguration(closed.configuration().replace("allow: [", "allow: [" + opened));
      ServicePlan member = isGroup ? new GroupPlan(snapts).of(plan, number) : plan;
      made.add((number == 1 ? DualStack.of(member) : member).with(snaptLines));
    }
    return made;
  }

  /// Starts a second agent on the device, of another user, beside the first one.
  ///
  /// @param lines of its configuration instead of those that name its SNAPT
  /// @return a further address of the server, whose packets it carries
  String startSecondAgent(String lines) throws IOException {
    String address = server.further();
    network.device.ip(
        "rule add priority 30290 to %s lookup %d".formatted(address, Plans.SECOND_AGENT_TABLE));
    billing().createAccount("bob", passwords.bob(), "Bob");
    billing().topUp("bob", CREDIT, "moving-2");
    ServicePlan plan = deployment.plans().secondAgent();
    String whole = plan.configuration().replaceFirst("(?m)^snapt: .*\\n", lines);
    start(List.of(plan.withConfiguration(whole)));
    return address;
  }

  /// Starts Bob's agent on the second device, by snapt-2. It carries all of that device's packets.
  void startOtherDevice() throws IOException {
    startOtherDevice(2);
  }

  /// Starts Bob's agent on the second device. It carries all of that device's packets.
  ///
  /// @param snapt number of its SNAPT, from 1
  void startOtherDevice(int snapt) throws IOException {
    billing().createAccount("bob", passwords.bob(), "Bob");
    billing().topUp("bob", CREDIT, "moving-2");
    start(List.of(deployment.plans().otherAgent(network.devices().get(1), snapt)));
  }

  /// Stops Bob's agent on the second device and starts it again, by another SNAPT.
  void moveOtherDevice(int snapt) throws IOException {
    ServicePlan plan = deployment.plans().otherAgent(network.devices().get(1), snapt);
    var unused = deployment.stop(plan.name());
    start(List.of(plan));
  }

  /// Returns the users' passwords.
  Passwords passwords() {
    return passwords;
  }

  /// Stops a SNAPT and starts it again, as for an upgrade.
  ///
  /// @return exit code of the stopped one
  int restart(String snapt) throws IOException {
    int code = deployment.stop(snapt);
    startAgain(snapt);
    return code;
  }

  /// Starts a process again that was stopped or killed.
  void startAgain(String name) throws IOException {
    start(List.of(Objects.requireNonNull(plans.get(name), name)));
  }

  /// Starts services together: each waits for the others by itself.
  private void start(List<ServicePlan> started) throws IOException {
    for (ServicePlan plan : started) {
      plans.put(plan.name(), plan);
      deployment.start(bridges.client(plan));
    }
    for (ServicePlan plan : started) {
      deployment.awaitReady(plan.name());
      System.out.println(plan.name() + " is ready");
    }
  }

  private void fund() throws IOException {
    String url = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    BillingClient logged =
        new BillingClient(url, new Retry(Duration.ofSeconds(60), System::nanoTime))
            .logIn("operator", passwords.operator());
    billing = logged;
    logged.createAccount("alice", passwords.alice(), "Alice");
    logged.topUp("alice", CREDIT, "moving-1");
  }

  /// Returns the inner bytes that the account was charged for.
  long chargedBytes() throws IOException {
    return billing().chargedBytes("alice");
  }

  /// Returns the operator's client of billing.
  BillingClient billing() {
    return Objects.requireNonNull(billing, "the laboratory has started");
  }

  /// Returns how many lines of a service's log match a pattern.
  long logged(String service, String pattern) throws IOException {
    var wanted = Pattern.compile(pattern);
    try (var lines = Files.lines(deployment.directory().resolve(service + ".log"))) {
      return lines.filter(line -> wanted.matcher(line).find()).count();
    }
  }

  /// Returns how many packets the hosts of SNAPTs have dropped because of their source address.
  long sourcesRefused() {
    return sourcesRefused(network.snapt1) + sourcesRefused(network.snapt2);
  }

  // Two lines for each group of counters: their names, then their values.
  private static long sourcesRefused(NetworkNamespace host) {
    List<String> lines =
        host.run("cat", "/proc/net/netstat")
            .lines()
            .filter(each -> each.startsWith("TcpExt"))
            .toList();
    List<String> names = List.of(lines.getFirst().split(" "));
    return Long.parseLong(lines.getLast().split(" ")[names.indexOf("IPReversePathFilter")]);
  }

  static void await(Callable<Boolean> condition, String what) throws Exception {
    long end = System.nanoTime() + PATIENCE_NS;
    while (!condition.call()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("after 60 s it is not true that " + what);
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  static void say(String what, Object seen) {
    System.out.println(what + ": " + seen);
  }
}
