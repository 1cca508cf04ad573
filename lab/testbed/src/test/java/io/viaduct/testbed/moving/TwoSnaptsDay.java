package io.viaduct.testbed.moving;

import static io.viaduct.testbed.moving.TwoSnapts.ofClass;
import static io.viaduct.testbed.moving.TwoSnapts.snaptOf;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.traffic.PacedStream;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [TwoSnaptsLabIT]; prints what it sees: [TwoGateways], its
/// bill, and a drain of the near SNAPT while a call uses it.
public final class TwoSnaptsDay {
  private static final double SECONDS = 5;
  private static final long NEW_MS = 1_500;
  private static final long CALL_NS = 2_000_000_000L;

  private final TwoSnapts snapts;
  private final MovingLab lab;

  private TwoSnaptsDay(TwoSnapts snapts) {
    this.snapts = snapts;
    lab = snapts.lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          TwoSnapts snapts = TwoSnapts.startApart(clone, directory, "", TwoGateways.GATEWAY_MBIT);
          MovingLab.say("SNAPTs in use", snapts.lab.agent.status().path("snapts").size());
          TwoGateways.measure(snapts, SECONDS);
          new TwoSnaptsDay(snapts).pass();
        });
  }

  private void pass() throws Exception {
    long all = lab.agent.carriedBytes();
    MovingLab.await(
        () -> lab.chargedBytes() >= 0.97 * all, "97 %% of %d bytes are charged".formatted(all));
    MovingLab.say("charged percent", 100.0 * lab.chargedBytes() / lab.agent.carriedBytes());
    drain();
  }

  /// Drains the near SNAPT while a flow uses it: the flow goes on, and a new one has the other
  /// SNAPT.
  private void drain() throws Exception {
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> held = snapts.call(going::get);
    MovingLab.await(() -> newest().isPresent(), "the call has a flow");
    int port = newest().orElseThrow().path("localPort").asInt();
    MovingLab.say("call by", snaptOf(flow(port)));
    long drainedNs = System.nanoTime();
    MovingLab.say("drain", lab.orders.byCommand("snapt-1", "drain"));
    MovingLab.await(
        () -> snapts.states().equals("leaving carrying"), "the device knows of the drain");
    MovingLab.say("told after ms", (System.nanoTime() - drainedNs) / 1_000_000);
    long newEndNs = System.nanoTime() + CALL_NS;
    CompletableFuture<PacedStream.Result> fresh =
        snapts.call(() -> System.nanoTime() - newEndNs < 0);
    MovingLab.await(() -> callsAt("snapt-2") > 0, "a new call has a flow at snapt-2");
    MovingLab.say("new call lost", fresh.get(60, TimeUnit.SECONDS).lost());
    MovingLab.say("the held flow stays at", snaptOf(flow(port)));
    going.set(false);
    MovingLab.say("held call lost", held.get(60, TimeUnit.SECONDS).lost());
    MovingLab.say("undrain", lab.orders.byCommand("snapt-1", "undrain"));
    snapts.awaitBoth("the SNAPT serves again");
  }

  /// Returns the newest flow of low delay, if it is young.
  private Optional<JsonNode> newest() throws Exception {
    return snapts
        .flows()
        .filter(ofClass("HT_LD"))
        .filter(flow -> flow.path("ageMs").asLong() < NEW_MS)
        .min(Comparator.comparingLong(flow -> flow.path("ageMs").asLong()));
  }

  private JsonNode flow(int port) throws Exception {
    return snapts.flow(flow -> flow.path("localPort").asInt() == port);
  }

  private long callsAt(String snapt) throws Exception {
    return snapts
        .flows()
        .filter(ofClass("HT_LD").and(flow -> snaptOf(flow).startsWith(snapt)))
        .count();
  }
}
