package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The first process of the laboratory of [FamiliesLabIT]; prints what it sees.
///
///     device ── linkA, IPv4 only ── gateway A ──┐
///       └────── linkB, IPv6 only ── gateway B ──┴── core ── snapt-1 (both), server
public final class FamiliesDay {
  private static final long BYTES = 120_000_000;
  private static final long SEED = 20_261_125;
  private static final NetworkPlan PLAN =
      new NetworkPlan(
          1,
          List.of(
              new LinkPlan("A", Set.of(Family.IPV4), false, "A"),
              new LinkPlan("B", Set.of(Family.IPV6), false, "B")),
          SEED);

  private FamiliesDay() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          // IPv4 is preferred, so that each change of link is one of the family.
          String spare = "links: [{name: linkB, use: spare}]\n";
          pass(new MovingLab(clone, directory, PLAN, spare, ""));
        });
  }

  private static void pass(MovingLab lab) throws Exception {
    lab.start();
    lab.agent.awaitUsed("linkA", "linkB");
    String session = lab.agent.status().path("session").path("id").asString("");
    var download = new TextDownload();
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, BYTES, 100_000_000);
    CompletableFuture<TextDownload.Result> result =
        lab.network.device.start(
            "download", () -> download.run(Topology.SERVER, MovingLab.TEXT_PORT, path));
    after(download, result, BYTES / 4);
    lab.network.loseLink("A");
    lab.agent.awaitUsed("linkB");
    MovingLab.say("size on IPv6", lab.agent.status().path("data").path("pathMtu").asInt());
    after(download, result, BYTES / 2);
    lab.network.restoreLink("A");
    lab.agent.awaitUsed("linkA", "linkB");
    after(download, result, 3 * BYTES / 4);
    lab.network.loseLink("B");
    lab.agent.awaitUsed("linkA");
    TextDownload.Result done = result.get(120, TimeUnit.SECONDS);
    MovingLab.say("bytes", done.bytes());
    MovingLab.say("SHA-256 right", done.sha256().equals(TextDownload.expected(SEED, BYTES)));
    MovingLab.say(
        "same session",
        lab.agent.status().path("session").path("id").asString("-").equals(session));
  }

  private static void after(
      TextDownload download, CompletableFuture<TextDownload.Result> result, long bytes)
      throws Exception {
    MovingLab.await(
        () -> download.received() >= bytes || result.isDone(), bytes + " bytes have arrived");
  }
}
