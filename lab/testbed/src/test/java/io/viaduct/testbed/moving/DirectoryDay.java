package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/// The first process of the laboratory of [DirectoryLabIT]; prints what it sees: how fast a device
/// with two SNAPTs hears of a price, of a drain by the bridge and by a signal, and of a removal,
/// and that the bill has the price.
public final class DirectoryDay {
  private static final double DENARII_PER_MEGABYTE = 0.5;
  private static final String CLASS = "HT_LD";
  private static final List<String> OWNERS = List.of("acme", "beacon");

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
          new DirectoryDay(TwoSnapts.start(clone, directory, "")).pass();
        });
  }

  private void pass() throws Exception {
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
