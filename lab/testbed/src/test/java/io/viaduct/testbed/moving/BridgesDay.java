package io.viaduct.testbed.moving;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [BridgesLabIT]; prints what it sees. Three bridges serve
/// one domain. The one that the SNAPTs and the agents have chosen is killed under load, and comes
/// back later:
///
/// ```
///   cnapt alice ══ snapt-1 ──┐      ┌── ims-bridge, billing
///                            core ──┼── ims-bridge-2
///   cnapt bob   ══ snapt-2 ──┘      ├── ims-bridge-3
///                                   └── server: SIP users, media
/// ```
public final class BridgesDay {
  private static final int BRIDGES = 3;
  private static final int USERS = 30;
  private static final int ACTIVE = 12; // of them, who register and write all the time
  private static final int AGENTS = 2;
  private static final int WARM_EXCHANGES = 100;
  private static final int VOICE_PER_SECOND = 50;
  private static final long CREDIT = 1_000_000_000L;
  private static final long SEED = 20_261_127;
  private static final NetworkPlan PLAN =
      new NetworkPlan(AGENTS, List.of(new LinkPlan("A", Set.of(Family.IPV4), false, "A")), SEED)
          .withBridges(BRIDGES);

  private final MovingLab lab;
  private final Deployment deployment;
  private final List<String> processes;
  private final List<String> names = IntStream.range(0, USERS).mapToObj(i -> "u" + i).toList();

  private BridgesDay(MovingLab lab) {
    this.lab = lab;
    this.deployment = lab.deployment;
    this.processes = lab.bridges.processes();
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) ->
            new BridgesDay(new MovingLab(clone, directory, PLAN, "", "").withSnapts(2)).pass());
  }

  private void pass() throws Exception {
    provide();
    lab.start();
    lab.startOtherDevice();
    try (SipUsers users =
        new SipUsers(lab.network.server, Topology.SERVER, lab.passwords().alice())) {
      pass(users);
    }
  }

  /// Adds the SIP users to those that billing imports.
  private void provide() throws IOException {
    Path directory = deployment.directory();
    StringBuilder lines = new StringBuilder();
    for (String each : names) {
      lines.append(
          "  - {user: %s, password-file: %s}%n"
              .formatted(each, directory.resolve("alice.password")));
    }
    Files.writeString(directory.resolve("subscribers.yml"), lines, StandardOpenOption.APPEND);
  }

  private void pass(SipUsers users) throws Exception {
    for (String payer : List.of("u0", "u2")) {
      lab.billing().topUp(payer, CREDIT, "bridges-" + payer);
    }
    for (int i = 0; i < USERS; i++) {
      require(
          users.register(names.get(i), 1 + i % BRIDGES) == 200, names.get(i) + " is registered");
    }
    awaitAtAll(processes, "viaduct_bridge_registrations", USERS + AGENTS);
    int dead = 1; // the first address of the name: agents and SNAPTs begin there
    String victim = processes.getFirst();
    require(streams(victim) == 2, "both SNAPTs are at " + victim);
    List<Integer> living =
        IntStream.rangeClosed(1, BRIDGES).filter(i -> i != dead).boxed().toList();
    SipUsers.Call ofCaller = users.call("u0", "u1", dead); // its caller is at the bridge that dies
    SipUsers.Call ofCallee = users.call("u2", "u" + (dead - 1 + BRIDGES), living.getLast());
    AtomicBoolean talking = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> media =
        lab.server.stream(Topology.SERVER, PacedStream.VOICE_BYTES, VOICE_PER_SECOND, talking::get);
    SipLoad load = new SipLoad(users, names.subList(USERS - ACTIVE, USERS), names, BRIDGES, SEED);
    MovingLab.await(() -> load.done() > WARM_EXCHANGES, "there is load");
    Session before = session("bob").orElseThrow();
    long refused = tokensRefused();

    signalling("add"); // no agent gets another token until bob has another session
    long killedNs = System.nanoTime();
    deployment.kill(victim);
    long charged = lab.chargedBytes();
    List<String> survivors = living.stream().map(i -> processes.get(i - 1)).toList();
    MovingLab.await(
        () -> survivors.stream().mapToLong(this::streams).sum() == 2, "the SNAPTs are at others");
    sayMs("SNAPTs at another bridge after ms", killedNs);
    awaitAtAll(survivors, "viaduct_bridge_peers{state=\"away\"}", 1);
    for (int bridge : living) {
      MovingLab.say("reached by another bridge", reached(users, bridge));
    }
    for (String each : survivors) {
      MovingLab.say(
          "registrations at a survivor", deployment.metric(each, "viaduct_bridge_registrations"));
    }
    deployment.process("snapt-2").kill(); // its sessions begin anew
    MovingLab.await(
        () -> session("bob").filter(now -> !now.id().equals(before.id())).isPresent(),
        "bob has another session");
    MovingLab.say(
        "token of the dead bridge taken",
        session("bob").orElseThrow().tokenEnd() == before.tokenEnd());
    signalling("del");
    MovingLab.await(() -> lab.chargedBytes() > charged, "what was used since is charged");
    sayMs("charged after ms", killedNs);
    talking.set(false);
    PacedStream.Result heard = media.join();
    MovingLab.say("media returned", heard.returned());
    MovingLab.say("media lost", heard.lost());
    MovingLab.say("media gap ms", heard.gapNs() / 1_000_000);
    MovingLab.say("BYE by another bridge", users.hangUp(ofCaller, living.getFirst()));
    MovingLab.say("BYE to a user of the dead bridge", users.hangUp(ofCallee, living.getFirst()));
    creditArrives();

    lab.startAgain(victim);
    awaitAtAll(processes, "viaduct_bridge_peers{state=\"linked\"}", BRIDGES - 1);
    awaitAtAll(processes, "viaduct_bridge_registrations", USERS + AGENTS);
    MovingLab.say("REGISTER at the bridge that is back", users.register("u4", dead));
    MovingLab.say("MESSAGE to its user", users.message("u5", "u4", living.getFirst()));
    MovingLab.say("reached by the bridge that is back", reached(users, dead));

    MovingLab.say("exchanges failed", load.stop());
    MovingLab.say("exchanges", load.done());
    MovingLab.say("exchanges sent to another bridge", load.moved());
    MovingLab.say("calls left", atAll(processes, "viaduct_bridge_calls"));
    MovingLab.await(
        () ->
            atAll(List.of("snapt-1", "snapt-2"), "viaduct_reports_pending").equals(List.of(0L, 0L)),
        "no report waits");
    BillingClient billing = lab.billing();
    MovingLab.say("reports missing", billing.missingReports());
    MovingLab.say("reports refused", billing.refusedReports());
    MovingLab.say("tokens refused", tokensRefused() - refused);
  }

  private long tokensRefused() throws IOException {
    return lab.logged("snapt-1", "refused: TOKEN_") + lab.logged("snapt-2", "refused: TOKEN_");
  }

  /// Lets the gateway drop what agents send to any bridge, or pass it again.
  private void signalling(String how) {
    lab.network.gateway("A").ip("rule " + how + " ipproto udp dport 5060 priority 10 blackhole");
  }

  /// Blocks Alice and lifts the block, by way of the bridges that are left.
  private void creditArrives() throws Exception {
    for (boolean isBlocked : List.of(true, false)) {
      lab.billing().block("alice", isBlocked);
      long atNs = System.nanoTime();
      MovingLab.await(
          () -> session("alice").orElseThrow().credit().equals("blocked") == isBlocked,
          "the SNAPT knows the credit");
      sayMs((isBlocked ? "block" : "end of the block") + " known after ms", atNs);
    }
  }

  private int reached(SipUsers users, int bridge) throws InterruptedException {
    int reached = 0;
    for (String each : names) {
      reached += users.message(names.getFirst(), each, bridge) == 200 ? 1 : 0;
    }
    return reached;
  }

  /// A session as its SNAPT shows it.
  ///
  /// @param tokenEnd Unix time in ms, which differs from token to token
  private record Session(String id, long tokenEnd, String credit) {}

  private Optional<Session> session(String account) {
    return Stream.of("snapt-1", "snapt-2")
        .flatMap(this::sessions)
        .filter(each -> each.path("account").asString("").equals(account))
        .map(each ->
            new Session(
                each.path("session").asString(""),
                each.path("tokenExpiresMs").asLong(),
                each.path("credit").asString("")))
        .findFirst();
  }

  private Stream<JsonNode> sessions(String snapt) {
    try {
      return StatusSocket.read(deployment.plans().socket(snapt)).path("sessions").valueStream();
    } catch (IOException _) {
      return Stream.of(); // it starts
    }
  }

  private long streams(String bridge) {
    return metric(bridge, "viaduct_bridge_credit_streams");
  }

  private long metric(String process, String name) {
    try {
      return deployment.metric(process, name);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<Long> atAll(List<String> of, String name) {
    return of.stream().map(each -> metric(each, name)).toList();
  }

  private void awaitAtAll(List<String> of, String name, long value) throws Exception {
    try {
      MovingLab.await(
          () -> atAll(of, name).stream().allMatch(each -> each == value), name + " is " + value);
    } catch (IllegalStateException e) {
      MovingLab.say(name, atAll(of, name));
      throw e;
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("it is not true that " + what);
    }
  }

  private static void sayMs(String what, long sinceNs) {
    MovingLab.say(what, (System.nanoTime() - sinceNs) / 1_000_000);
  }
}
