package io.viaduct.testbed.moving;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.DualStack;
import io.viaduct.testbed.deployment.GroupPlan;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TextServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// One device, SNAPTs, of which the first has an address of each family, bridge and billing, in
/// namespaces. The names of the hosts stand in a file of this laboratory alone.
final class MovingLab {
  static final int TEXT_PORT = 80;
  static final int STREAM_PORT = 5004;
  private static final int FIRST_FURTHER = 80; // the server's own host number
  private static final long CREDIT = 1_000_000_000_000L; // micro-denarii, enough for terabytes
  private static final String AGENT = "cnapt";
  private static final String MOVED = "viaduct_group_moves_total{outcome=\"moved\"}";
  private static final long PATIENCE_NS = Duration.ofSeconds(60).toNanos();

  final Topology network;
  final Deployment deployment;
  private final Passwords passwords = Passwords.draw(new SecureRandom());
  private final Path root;
  private final String agentLines;
  private final String snaptLines;
  private @Nullable BillingClient billing;
  private int snapts = 1;
  private int furtherServers;
  private boolean isGroup;
  private final Map<String, ServicePlan> plans = new HashMap<>();
  private String token = ""; // lines of the bridge's configuration of tokens

  /// @param agentLines added to the agent's configuration
  /// @param snaptLines added to that of the SNAPT
  MovingLab(Path root, Path directory, NetworkPlan plan, String agentLines, String snaptLines)
      throws Exception {
    this.root = root;
    this.agentLines = agentLines;
    this.snaptLines = snaptLines;
    network = Topology.lay(plan);
    DualStack.nameSnapt(directory);
    deployment =
        Deployment.prepare(root, directory, passwords, Duration.ofSeconds(5), System::nanoTime);
  }

  /// Sets the lifetime of the bridge's tokens; called before the start.
  ///
  /// @param lifetime as the bridge's configuration spells it, for example `20s`
  void tokenLifetime(String lifetime) {
    token = "lifetime: " + lifetime + ", ";
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

  /// Starts everything, and waits until the tunnel carries.
  void start() throws Exception {
    network.server.call(() -> {
      TextServer.start(Topology.SERVER, TEXT_PORT, System::nanoTime);
      return true;
    });
    startEcho(Topology.SERVER);
    if (isGroup) {
      new GroupPlan(snapts).route(network);
    }
    Plans made = deployment.plans();
    int enrolled = Math.min(snapts, Deployment.ENROLLED);
    List<ServicePlan> first = new ArrayList<>(List.of(made.billing(), bridge()));
    first.addAll(snapts(1, enrolled));
    start(first);
    fund();
    startSnapts(enrolled + 1, snapts);
    start(List.of(made.agent().with(agentLines)));
  }

  private ServicePlan bridge() {
    ServicePlan bridge = deployment.plans().bridge();
    return bridge.withConfiguration(bridge.configuration().replace("token: {", "token: {" + token));
  }

  private void startEcho(String address) {
    var unused =
        network.server.start(
            "stream",
            () -> {
              PacedStream.echo(address, STREAM_PORT);
              return true;
            });
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
      ServicePlan plan = deployment.plans().snapt(number);
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
    String address = furtherServer();
    network.device.ip(
        "rule add priority 30290 to %s lookup %d".formatted(address, Plans.SECOND_AGENT_TABLE));
    billing().createAccount("bob", passwords.bob(), "Bob");
    billing().topUp("bob", CREDIT, "moving-2");
    ServicePlan plan = deployment.plans().secondAgent();
    String whole = plan.configuration().replaceFirst("(?m)^snapt: .*\\n", lines);
    start(List.of(plan.withConfiguration(whole)));
    return address;
  }

  /// Gives the server a further address, to which the device has had no flow.
  String furtherServer() {
    furtherServers++;
    String address = Topology.CORE_NETWORK + (FIRST_FURTHER + furtherServers);
    network.server.ip("addr add %s/24 dev core0".formatted(address));
    startEcho(address);
    return address;
  }

  /// Stops a SNAPT and starts it again, as for an upgrade.
  ///
  /// @return exit code of the stopped one
  int restart(String snapt) throws IOException {
    ServicePlan plan = Objects.requireNonNull(plans.get(snapt), snapt);
    int code = deployment.stop(snapt);
    start(List.of(plan));
    return code;
  }

  /// Starts services together: each waits for the others by itself.
  private void start(List<ServicePlan> started) throws IOException {
    for (ServicePlan plan : started) {
      plans.put(plan.name(), plan);
      deployment.start(plan);
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

  /// Begins a UDP stream of the class HT_LD from the device to the server, which returns it.
  ///
  /// @param bytes of payload, random, so that nothing is compressed
  CompletableFuture<PacedStream.Result> stream(
      int bytes, int packetsPerSecond, BooleanSupplier going) {
    return stream(Topology.SERVER, bytes, packetsPerSecond, going);
  }

  /// Begins such a stream to an address of the server.
  CompletableFuture<PacedStream.Result> stream(
      String address, int bytes, int packetsPerSecond, BooleanSupplier going) {
    byte[] payload = new byte[bytes];
    new Random(bytes).nextBytes(payload);
    var to = new InetSocketAddress(address, STREAM_PORT);
    return network.device.start(
        "stream", () -> PacedStream.run(to, payload, packetsPerSecond, going, System::nanoTime));
  }

  /// Returns the inner bytes that the agent has carried, in both directions.
  long carriedBytes() throws IOException {
    return carriedBytes(AGENT);
  }

  /// Returns the inner bytes that an agent has carried, in both directions.
  long carriedBytes(String agent) throws IOException {
    return status(agent)
        .path("data")
        .path("classes")
        .valueStream()
        .mapToLong(each -> each.path("preBytes").asLong(0))
        .sum();
  }

  /// Returns the inner bytes that the account was charged for.
  long chargedBytes() throws IOException {
    return billing().chargedBytes("alice");
  }

  /// Lets the bridge order a SNAPT to drain or to serve, as the operators' page does.
  ///
  /// @return the status of the bridge's answer
  int order(String snapt, String verb) throws Exception {
    URI uri =
        URI.create(
            "http://%s:%d/api/v1/snapts/%s/%s"
                .formatted(Topology.CONTROL, Plans.BRIDGE_REST_PORT, snapt, verb));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(uri)
                  .header("Authorization", "Bearer " + passwords.rest())
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"by\":\"olivia\"}"))
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  /// Returns the operator's client of billing.
  BillingClient billing() {
    return Objects.requireNonNull(billing, "the laboratory has started");
  }

  /// Runs one of the programs.
  ///
  /// @return what it printed
  String command(String program, String... words) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                root.resolve("bin").resolve(program).toString()));
    all.addAll(List.of(words));
    return Command.run(all.toArray(String[]::new));
  }

  /// Runs a command of a SNAPT.
  ///
  /// @return what it printed
  String act(String snapt, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--socket");
    all.add(deployment.plans().socket(snapt).toString());
    return command("snapt", all.toArray(String[]::new));
  }

  /// Drains a SNAPT of a group, and waits until it has no session any more.
  void drainAway(String snapt) throws Exception {
    say("drain " + snapt, act(snapt, "drain", "--deadline", "1"));
    await(() -> sessions(snapt) == 0, snapt + " has no session any more");
  }

  /// Returns the sessions that the running process of a SNAPT has handed over.
  long moved(String snapt) throws IOException {
    return deployment.metric(snapt, MOVED);
  }

  /// Returns the number of sessions of a SNAPT.
  int sessions(String snapt) throws IOException {
    return StatusSocket.read(deployment.plans().socket(snapt)).path("sessions").size();
  }

  /// Returns the SNAPT of the agent's first session; empty without one.
  String at() throws IOException {
    return at(AGENT);
  }

  /// Returns the SNAPT of an agent's first session; empty without one.
  String at(String agent) throws IOException {
    return status(agent).path("session").path("snapt").asString("");
  }

  /// Returns how many SNAPTs carry for an agent.
  long carrying(String agent) throws IOException {
    return status(agent)
        .path("snapts")
        .valueStream()
        .filter(each -> each.path("state").asString("").equals("carrying"))
        .count();
  }

  /// Returns the agent's status.
  JsonNode status() throws IOException {
    return status(AGENT);
  }

  private JsonNode status(String agent) throws IOException {
    return StatusSocket.read(deployment.plans().socket(agent));
  }

  /// Returns how many lines of a service's log match a pattern.
  long logged(String service, String pattern) throws IOException {
    var wanted = Pattern.compile(pattern);
    try (var lines = Files.lines(deployment.directory().resolve(service + ".log"))) {
      return lines.filter(line -> wanted.matcher(line).find()).count();
    }
  }

  /// Returns the links whose paths carry data, ordered by name.
  List<String> used() throws IOException {
    return status()
        .path("paths")
        .valueStream()
        .filter(path -> !path.path("use").asString("").equals("no"))
        .map(path -> path.path("link").asString(""))
        .sorted()
        .toList();
  }

  /// Waits until exactly these links carry data.
  void awaitUsed(String... links) throws Exception {
    await(() -> used().equals(List.of(links)), "the links in use are " + List.of(links));
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
