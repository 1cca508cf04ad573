package io.viaduct.testbed.moving;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [DirectoryLabIT]; prints what it sees: how fast a device
/// with two SNAPTs hears of a region, a load, a price, of a drain by the bridge and by a signal,
/// and of a removal, that its new flows follow load and price, and that the bill has the price.
public final class DirectoryDay {
  private static final double DENARII_PER_MEGABYTE = 0.5;
  private static final String CLASS = "HT_LD";
  private static final List<String> OWNERS = List.of("acme", "beacon");
  private static final String FIRST = "snapt-1";
  private static final String SECOND = "snapt-2";

  // One session is 50 % of the load, a second one 100 %.
  private static final String FEW_SESSIONS = "sessions: {max: 2}\n";
  private static final int PACKETS_PER_SECOND = 50;

  private final TwoSnapts snapts;
  private final MovingLab lab;

  private DirectoryDay(TwoSnapts snapts) {
    this.snapts = snapts;
    lab = snapts.lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new DirectoryDay(TwoSnapts.start(clone, directory, "", FEW_SESSIONS)).pass();
        });
  }

  private void pass() throws Exception {
    beside();
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> call = snapts.call(going::get);
    price();
    drain(flows("snapt-1") == 0 ? "snapt-1" : "snapt-2");
    AtomicBoolean another = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> later = signal(another);
    going.set(false);
    MovingLab.say("call lost", call.get(60, TimeUnit.SECONDS).lost());
    removal();
    another.set(false);
    MovingLab.say("later call sent", later.get(60, TimeUnit.SECONDS).sent());
  }

  /// Lets another device use the first SNAPT alone, which is full then. That device knows the
  /// second one by the directory only.
  private void beside() throws Exception {
    String host =
        lab.startSecondAgent(
            "snapt: {id: %s, host: %s, port: %d}%n"
                .formatted(FIRST, Topology.snapt(1), Plans.SNAPT_PORT));
    AtomicBoolean going = new AtomicBoolean(true); // with a flow it stays at the full SNAPT
    CompletableFuture<PacedStream.Result> held = call(host, going);
    AgentView bob = lab.agent("cnapt-2");
    region(bob);
    for (AgentView each : List.of(lab.agent, bob)) {
      MovingLab.await(
          () -> load(each, FIRST) == 100 && load(each, SECOND) == 50, "the device knows the loads");
      MovingLab.say("directory", listed(each));
    }
    MovingLab.say("by load", placed());
    dear(bob);
    MovingLab.say("by price", placed());
    leave(bob);
    going.set(false);
    MovingLab.say("call of the other device sent", held.get(60, TimeUnit.SECONDS).sent());
  }

  private void region(AgentView bob) throws Exception {
    long askedNs = System.nanoTime();
    String key = lab.deployment.plans().publicKey(2);
    lab.billing().place(SECOND, key, OWNERS.get(1), "edge");
    MovingLab.await(
        () ->
            told(lab.agent, SECOND).path("region").asString("").equals("edge")
                && told(bob, SECOND).path("region").asString("").equals("edge"),
        "both devices know the region");
    MovingLab.say("region told after ms", ms(askedNs));
  }

  /// Makes the SNAPT dear that has room.
  private void dear(AgentView bob) throws Exception {
    long askedNs = System.nanoTime();
    lab.billing().surcharge(OWNERS.get(1), CLASS, 2 * DENARII_PER_MEGABYTE);
    MovingLab.await(
        () -> priced(told(bob, SECOND)) > 0 && priced(told(lab.agent, SECOND)) > 0,
        "both devices know the price");
    MovingLab.say("price told elsewhere after ms", ms(askedNs));
  }

  /// Stops each agent once: the other one hears that the load is less.
  private void leave(AgentView bob) throws Exception {
    CompletableFuture<Integer> ended = stopped("cnapt");
    MovingLab.await(() -> lab.orders.sessions(SECOND) == 0, "the first device has gone");
    long goneNs = System.nanoTime();
    MovingLab.await(() -> load(bob, SECOND) == 0, "the other device knows of it");
    MovingLab.say("load elsewhere told after ms", ms(goneNs));
    MovingLab.say("agent ended with", ended.get(60, TimeUnit.SECONDS));
    lab.startAgain("cnapt");
    snapts.awaitBoth("both SNAPTs carry again");
    MovingLab.await(() -> load(lab.agent, FIRST) == 100, "the device knows that it is full");
    ended = stopped("cnapt-2");
    MovingLab.await(() -> lab.orders.sessions(FIRST) == 1, "the other device has gone");
    goneNs = System.nanoTime();
    MovingLab.await(() -> load(lab.agent, FIRST) == 50, "the first device knows of it");
    MovingLab.say("load told after ms", ms(goneNs));
    MovingLab.say("other agent ended with", ended.get(60, TimeUnit.SECONDS));
  }

  private CompletableFuture<Integer> stopped(String agent) {
    return CompletableFuture.supplyAsync(() -> lab.deployment.stop(agent));
  }

  /// Begins a flow of the class to a new host, and returns its SNAPT.
  private String placed() throws Exception {
    String host = lab.server.further();
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> call = call(host, going);
    MovingLab.await(() -> !flow(host).isMissingNode(), "the call has a flow");
    JsonNode flow = flow(host);
    MovingLab.say("why", flow.path("snaptWhy").asString(""));
    going.set(false);
    MovingLab.say("packets", call.get(60, TimeUnit.SECONDS).sent());
    return TwoSnapts.snaptOf(flow);
  }

  private CompletableFuture<PacedStream.Result> call(String host, AtomicBoolean going) {
    return lab.server.stream(host, PacedStream.VOICE_BYTES, PACKETS_PER_SECOND, going::get);
  }

  private JsonNode flow(String host) throws IOException {
    JsonNode flows = lab.agent.status().path("data").path("flows");
    return flows
        .valueStream()
        .filter(each -> each.path("remote").asString("").startsWith(host + ":"))
        .findFirst()
        .orElse(flows.path("none"));
  }

  private static JsonNode told(AgentView agent, String snapt) throws IOException {
    JsonNode directory = agent.status().path("directory");
    return directory
        .valueStream()
        .filter(each -> each.path("snapt").asString("").equals(snapt))
        .findFirst()
        .orElse(directory.path("none"));
  }

  private static int load(AgentView agent, String snapt) throws IOException {
    return told(agent, snapt).path("loadPercent").asInt(-1);
  }

  private static double priced(JsonNode snapt) {
    return snapt.path("denariiPerGigabyte").path(CLASS).asDouble(0);
  }

  private static String listed(AgentView agent) throws IOException {
    return agent
        .status()
        .path("directory")
        .valueStream()
        .map(each ->
            "%s in %s, %d %%"
                .formatted(
                    each.path("snapt").asString(""),
                    each.path("region").asString(""),
                    each.path("loadPercent").asInt(-1)))
        .collect(Collectors.joining("; "));
  }

  /// Sets a price at both SNAPTs: until it is answered, a flow may go from one to the other.
  private void price() throws Exception {
    long before = lab.billing().surcharges("alice");
    long askedNs = System.nanoTime();
    for (String owner : OWNERS) {
      lab.billing().surcharge(owner, CLASS, DENARII_PER_MEGABYTE);
    }
    double told = DENARII_PER_MEGABYTE * 1_000;
    MovingLab.await(
        () -> shown("snapt-1") == told && shown("snapt-2") == told, "the device knows the prices");
    MovingLab.say("price told after ms", ms(askedNs));
    MovingLab.say("shown by the command", priceLine());
    MovingLab.await(() -> lab.billing().surcharges("alice") > before, "the bill has the surcharge");
    MovingLab.say("surcharge billed", lab.billing().surcharges("alice") - before);
  }

  private double shown(String snapt) throws Exception {
    return snapts.snapt(snapt).path("denariiPerGigabyte").path(CLASS).asDouble();
  }

  private String priceLine() {
    String socket = lab.deployment.plans().socket("cnapt").toString();
    return lab.deployment
        .run("cnapt", "status", "--socket", socket)
        .lines()
        .filter(line -> line.contains("snapt-1"))
        .collect(Collectors.joining());
  }

  /// Lets a SNAPT drain that has no flow, and serve again: its session ends, and another begins.
  private void drain(String idle) throws Exception {
    long askedNs = System.nanoTime();
    MovingLab.say("bridge answers", lab.orders.byBridge(idle, "drain"));
    MovingLab.await(() -> isLeft(idle), "the device knows of the drain");
    MovingLab.say("drain by the bridge told after ms", ms(askedNs));
    askedNs = System.nanoTime();
    MovingLab.say("bridge answers", lab.orders.byBridge(idle, "undrain"));
    snapts.awaitBoth(idle + " is used again");
    MovingLab.say("used again after ms", ms(askedNs));
    MovingLab.say(
        "orders of the bridge logged",
        lab.logged(idle, "(drains|serves again,) by olivia \\(BRIDGE\\)"));
  }

  /// Lets the SNAPT of the first line drain by the signal, so that the call that begins now has the
  /// other one.
  private CompletableFuture<PacedStream.Result> signal(AtomicBoolean going) throws Exception {
    String first = used(0);
    String second = used(1);
    long before = flows(second);
    long askedNs = System.nanoTime();
    lab.deployment.signal(first, "USR1");
    MovingLab.await(() -> isLeft(first), "the device knows of the signal");
    MovingLab.say("drain by signal told after ms", ms(askedNs));
    CompletableFuture<PacedStream.Result> call = snapts.call(going::get);
    MovingLab.await(() -> flows(second) > before, "the new call avoids what drains");
    MovingLab.say("signals logged", lab.logged(first, "drains by SIGUSR1 \\(SIGNAL\\)"));
    lab.orders.byCommand(first, "undrain");
    snapts.awaitBoth(first + " is used again");
    return call;
  }

  /// Returns whether a SNAPT is left, or is about to be.
  private boolean isLeft(String snapt) throws Exception {
    return !snapts.snapt(snapt).path("state").asString("none").equals("carrying");
  }

  /// Removes the SNAPT of the second line, which has a call: it is not in the list of the first
  /// line any more, and its reports are refused.
  private void removal() throws Exception {
    String second = used(1);
    MovingLab.await(() -> lists(second), "the device has a list with it");
    long refusedBefore = refused();
    long askedNs = System.nanoTime();
    lab.billing().remove(second);
    MovingLab.await(() -> !lists(second), "the device has a list without it");
    MovingLab.say("removal told after ms", ms(askedNs));
    MovingLab.await(() -> refused() > refusedBefore, "its report is refused and counted");
    MovingLab.say("reports refused", refused() - refusedBefore);
    MovingLab.await(
        () -> lab.logged(second, "is not enrolled") > 0, "the SNAPT is told the reason");
  }

  private long refused() throws IOException {
    return lab.deployment.metric(
        "ims-bridge", "viaduct_bridge_reports_refused_total{reason=\"not_enrolled\"}");
  }

  /// Returns whether the list of the first line has a SNAPT.
  private boolean lists(String snapt) throws IOException {
    return lab.agent
        .status()
        .path("control")
        .path("snapts")
        .valueStream()
        .anyMatch(each -> each.asString("").startsWith(snapt));
  }

  private long flows(String snapt) throws Exception {
    return snapts.snapt(snapt).path("flows").asLong();
  }

  /// Returns the id of the SNAPT of a line.
  private String used(int line) throws Exception {
    return lab.agent.status().path("snapts").path(line).path("snapt").asString("").split(" ")[0];
  }

  private static long ms(long sinceNs) {
    return (System.nanoTime() - sinceNs) / 1_000_000;
  }
}
