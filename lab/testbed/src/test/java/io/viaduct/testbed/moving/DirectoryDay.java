package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [DirectoryLabIT]; prints what it sees: how fast a device
/// with two SNAPTs hears of a price, of a drain by the bridge and by a signal, and of a removal,
/// and that the bill has the price.
public final class DirectoryDay {
  private static final double DENARII_PER_MEGABYTE = 0.5;
  private static final String CLASS = "HT_LD";

  private final MovingLab lab;

  private DirectoryDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          String agent = "snapts: {sessions: 2}\n";
          new DirectoryDay(new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, agent, ""))
              .pass();
        });
  }

  private void pass() throws Exception {
    lab.withSecondSnapt();
    lab.start();
    MovingLab.await(() -> states().equals("carrying carrying"), "both SNAPTs carry");
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> call = call(going);
    price();
    drain();
    going.set(false);
    MovingLab.say("call lost", call.get(60, TimeUnit.SECONDS).lost());
    removal();
  }

  private void price() throws Exception {
    long before = lab.billing().surcharges("alice");
    long askedNs = System.nanoTime();
    lab.billing().surcharge("acme", CLASS, DENARII_PER_MEGABYTE);
    MovingLab.await(() -> shown() == DENARII_PER_MEGABYTE * 1_000, "the device knows the price");
    MovingLab.say("price told after ms", ms(askedNs));
    MovingLab.say("shown by the command", priceLine());
    MovingLab.await(() -> lab.billing().surcharges("alice") > before, "the bill has the surcharge");
    MovingLab.say("surcharge billed", lab.billing().surcharges("alice") - before);
  }

  private double shown() throws Exception {
    return snapt("snapt-1").path("denariiPerGigabyte").path(CLASS).asDouble();
  }

  private String priceLine() {
    String socket = lab.deployment.plans().socket("cnapt").toString();
    return lab.command("cnapt", "status", "--socket", socket)
        .lines()
        .filter(line -> line.contains("snapt-1"))
        .collect(Collectors.joining());
  }

  private void drain() throws Exception {
    long askedNs = System.nanoTime();
    MovingLab.say("bridge answers", lab.order("snapt-2", "drain"));
    MovingLab.await(() -> states().equals("carrying leaving"), "the device knows of the drain");
    MovingLab.say("drain by the bridge told after ms", ms(askedNs));
    askedNs = System.nanoTime();
    MovingLab.say("bridge answers", lab.order("snapt-2", "undrain"));
    MovingLab.await(() -> states().equals("carrying carrying"), "the SNAPT serves again");
    MovingLab.say("end of the drain told after ms", ms(askedNs));
    askedNs = System.nanoTime();
    lab.deployment.signal("snapt-2", "USR1");
    MovingLab.await(() -> states().equals("carrying leaving"), "the device knows of the signal");
    MovingLab.say("drain by signal told after ms", ms(askedNs));
    MovingLab.say(
        "drains logged",
        lab.logged("snapt-2", "drains by (olivia \\(BRIDGE\\)|SIGUSR1 \\(SIGNAL\\))"));
  }

  private void removal() throws Exception {
    lab.command(
        "snapt", "undrain", "--socket", lab.deployment.plans().socket("snapt-2").toString());
    MovingLab.await(() -> lists("snapt-2"), "the device has a list with it");
    long askedNs = System.nanoTime();
    lab.billing().remove("snapt-2");
    MovingLab.await(() -> !lists("snapt-2"), "the device has a list without it");
    MovingLab.say("removal told after ms", ms(askedNs));
    MovingLab.await(
        () -> lab.logged("ims-bridge", "SNAPT snapt-2 was removed") > 0, "the bridge says so");
    MovingLab.await(
        () -> lab.logged("snapt-2", "is not enrolled") > 0, "the SNAPT is told the reason");
  }

  /// Returns whether the list of the first line has a SNAPT.
  private boolean lists(String snapt) throws IOException {
    return lab.status()
        .path("control")
        .path("snapts")
        .valueStream()
        .anyMatch(each -> each.asString("").contains(snapt));
  }

  private static long ms(long sinceNs) {
    return (System.nanoTime() - sinceNs) / 1_000_000;
  }

  private CompletableFuture<PacedStream.Result> call(AtomicBoolean going) {
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    return lab.network.device.start(
        "call",
        () ->
            PacedStream.run(
                to, new byte[PacedStream.VOICE_BYTES], 50, going::get, System::nanoTime));
  }

  private JsonNode snapt(String id) throws Exception {
    JsonNode snapts = lab.status().path("snapts");
    return snapts
        .valueStream()
        .filter(each -> each.path("snapt").asString("").startsWith(id))
        .findFirst()
        .orElse(snapts.path("none"));
  }

  private String states() throws Exception {
    return lab.status()
        .path("snapts")
        .valueStream()
        .map(each -> each.path("state").asString(""))
        .collect(Collectors.joining(" "));
  }
}
