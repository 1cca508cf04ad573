package io.viaduct.testbed.bench;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.DualStack;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.moving.AgentView;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// Our tunnel: agent and SNAPT as in production, with billing, bridge and pages.
final class ViaductPeer implements Peer {
  static final String NAME = "viaduct";

  private static final String ALLOCATED = "viaduct_loops_allocated_bytes_total";
  private static final String REGISTERED = "viaduct_bridge_sip_events_total{event=\"registered\"}";
  private static final long CREDIT = 1_000_000_000_000L; // enough for terabytes
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Place place;
  private final Deployment deployment;
  private final Passwords passwords;
  private final Lines lines;
  private final LongSupplier nanoTime;
  private long credit = CREDIT;
  private String name = NAME;

  /// One of two tunnels side by side. Each has an agent and a SNAPT of its own; they share the
  /// other services.
  enum Place {
    FIRST(1, "cnapt", "alice", Passwords::alice, Plans::agent, BenchNetwork.BEHIND),
    SECOND(2, "cnapt-2", "bob", Passwords::bob, Plans::secondAgent, BenchNetwork.BEHIND_SECOND);

    private final int number;
    private final String agent;
    private final String user;
    private final Function<Passwords, String> password;
    private final Function<Plans, ServicePlan> plan;
    private final String target;

    Place(
        int number,
        String agent,
        String user,
        Function<Passwords, String> password,
        Function<Plans, ServicePlan> plan,
        String target) {
      this.number = number;
      this.agent = agent;
      this.user = user;
      this.password = password;
      this.plan = plan;
      this.target = target;
    }

    private String snapt() {
      return "snapt-" + number;
    }
  }

  // Gateway A counts the bytes of all peers and limits their rate, so link B carries data only
  // while link A does not.
  static final String ONE_LINK = "links: [{name: linkB, use: spare}]\n";

  /// Link A carries everything, whatever happens to it.
  static final String ONLY_LINK_A = "links: [{name: linkB, use: no}]\n";

  /// All links carry data, as without any configuration.
  static final String ALL_LINKS = "";

  private static final String WITHOUT_A = "links: [{name: linkA, use: no}]\n";

  /// Lines added to the configuration of the demonstration.
  ///
  /// @param links lines of the agent's configuration about links
  /// @param agent other lines of the agent's configuration
  /// @param tunnel lines of the agent's and of the SNAPT's configuration
  /// @param isDualStack true if the SNAPT has an address of each family
  record Lines(String links, String agent, String tunnel, boolean isDualStack) {}

  /// Makes a peer that is not started yet.
  ViaductPeer(
      Place place, Deployment deployment, Passwords passwords, Lines lines, LongSupplier nanoTime) {
    this.place = place;
    this.deployment = deployment;
    this.passwords = passwords;
    this.lines = lines;
    this.nanoTime = nanoTime;
  }

  /// Gives the user this credit, in micro-denarii, instead of a large one.
  ViaductPeer credit(long microdenarii) {
    credit = microdenarii;
    return this;
  }

  /// Gives the peer another name, because two of ours run side by side.
  ViaductPeer named(String other) {
    name = other;
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Role role() {
    return Role.OURS;
  }

  @Override
  public String note() {
    return "billing, bridge, pages, SNAPT and agent running; sealed, metered, translated, paid for";
  }

  @Override
  public void start() throws IOException {
    var plans = deployment.plans();
    var needed = new ArrayList<ServicePlan>();
    if (place == Place.FIRST) {
      needed.addAll(List.of(plans.billing(place.number), plans.bridge(), plans.webgui()));
    } else {
      operator().enrol(place.snapt(), plans.publicKey(place.number), "beacon");
    }
    ServicePlan snapt = plans.snapt(place.number);
    needed.add((lines.isDualStack ? DualStack.of(snapt) : snapt).with(lines.tunnel));
    for (ServicePlan plan : needed) {
      deployment.start(plan);
    }
    for (ServicePlan plan : needed) {
      deployment.awaitReady(plan.name());
    }
    fund();
    startNear();
    deployment.awaitReady(place.agent);
  }

  /// Gives the user money, because production pays for every session.
  private void fund() throws IOException {
    BillingClient billing = operator();
    billing.createAccount(place.user, place.password.apply(passwords), place.user);
    billing.topUp(place.user, credit, "bench-" + place.user);
  }

  private BillingClient operator() throws IOException {
    String address = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    return new BillingClient(address, new Retry(PATIENCE, nanoTime))
        .logIn("operator", passwords.operator());
  }

  @Override
  public String target() {
    return place.target;
  }

  @Override
  public void stopNear() {
    int status = deployment.stop(place.agent);
    if (status != 0) {
      throw new IllegalStateException("the agent ended with " + status);
    }
  }

  @Override
  public void startNear() throws IOException {
    deployment.start(agent(lines.links));
  }

  private ServicePlan agent(String links) {
    return place.plan.apply(deployment.plans()).with(links + lines.agent + lines.tunnel);
  }

  /// Returns true if exactly these links have paths that carry data.
  @Override
  public boolean isReadyBy(List<String> links) throws IOException {
    return new AgentView(deployment.plans().socket(place.agent)).used().equals(links);
  }

  /// Gives the link another address, each time that it comes back; only ours, not those of peers.
  /// To the agent this is another network, whose hold time begins anew. Otherwise the losses of all
  /// repetitions would count as flapping. So a repetition measures a link that comes back after
  /// long, not one that flaps.
  @Override
  public void onLinkUp(BenchNetwork network, String link) {
    var retry = new Retry(PATIENCE, nanoTime);
    try {
      retry.until(() -> hasPath("link" + link));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    network.renumber(link);
  }

  private JsonNode hasPath(String device) throws IOException {
    JsonNode paths = status().path("paths");
    if (paths.valueStream().noneMatch(path -> path.path("link").asString("").equals(device))) {
      throw new IOException("the agent has no path by " + device + ": " + paths);
    }
    return paths;
  }

  /// Forbids link A in the agent's configuration, and sends SIGHUP.
  @Override
  public void leaveLinkA(BenchNetwork network) throws IOException {
    deployment.reload(agent(WITHOUT_A));
  }

  @Override
  public void returnToLinkA(BenchNetwork network) throws IOException {
    deployment.reload(agent(lines.links));
  }

  /// Returns the agent's status.
  JsonNode status() throws IOException {
    return StatusSocket.read(deployment.plans().socket(place.agent));
  }

  /// Returns the sessions, connections and registrations that the other ends have seen so far.
  Made made() throws IOException {
    List<String> log = Files.readAllLines(deployment.directory().resolve(place.snapt() + ".log"));
    long opened = log.stream().filter(line -> line.endsWith(" opened")).count();
    long resumed = log.stream().filter(line -> line.endsWith(" resumed")).count();
    return new Made(opened, opened + resumed, deployment.metric("ims-bridge", REGISTERED));
  }

  /// Counts of what a device makes anew when it loses its state.
  record Made(long sessions, long connections, long registrations) {}

  @Override
  public List<Long> nearProcesses() {
    return List.of(deployment.process(place.agent).id());
  }

  @Override
  public List<Long> farProcesses() {
    return List.of(deployment.process(place.snapt()).id());
  }

  @Override
  public Optional<Allocated> allocated() throws IOException {
    return Optional.of(
        new Allocated(
            deployment.metric(place.agent, ALLOCATED),
            deployment.metric(place.snapt(), ALLOCATED)));
  }

  @Override
  public void close() {
    deployment.stopAll();
  }
}
