package io.viaduct.testbed.moving;

import io.viaduct.testbed.deployment.DenariiUser;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The first process of the laboratory of [RelayLabIT]; prints what it sees. Alice's device has no
/// way but Bob's device, which forwards her packets by NAT into its own tunnel (ADR 0068):
///
///     device (alice) ── linkA ── device-2 (bob) ══ gateway A ══ snapt-1 or snapt-2 ── snapt-1
///
/// Alice has her session at snapt-1. Bob has his there too at first, then at snapt-2, which is of
/// the same group. `data.listen` of the SNAPTs is the wildcard.
public final class RelayDay {
  private static final long SEED = 20_261_128;
  private static final long BYTES = 4_000_000;
  private static final double SHARE = 0.25;

  /// All of Alice's datagrams go by Bob's tunnel. Those count as direct that come before a member
  /// of the group has said whose address they are from.
  private static final long PERCENT_MIN = 95;

  private static final String NAMED = "viaduct_relayed_bytes_total{outcome=\"named\"}";
  private static final NetworkPlan PLAN =
      new NetworkPlan(2, List.of(new LinkPlan("A", Set.of(Family.IPV4), false, "A")), SEED);

  /// Bob shares his tunnel, and no other way.
  private static final String SHARING =
      """
      table ip sharing {
        chain out {
          type nat hook postrouting priority srcnat
          iifname "linkA" oifname "viaduct1" masquerade
        }
        chain through {
          type filter hook forward priority filter
          iifname "linkA" oifname != "viaduct1" drop
        }
      }
      """;

  private final MovingLab lab;
  private final DenariiUser operator;

  private RelayDay(Path clone, Path directory) throws Exception {
    lab = new MovingLab(clone, directory, PLAN, "", "").withGroup(2);
    operator = new DenariiUser(lab.deployment, "operator");
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments, (clone, directory) -> new RelayDay(clone, directory).pass(clone, directory));
  }

  private void pass(Path clone, Path directory) throws Exception {
    if (!lab.network.isMasquerading) {
      MovingLab.say("skipped", "bob's device needs nftables");
      return;
    }
    // Her control connection goes by Bob's tunnel too.
    lab.openAtSnapts(Topology.SNAPT_1 + "/32 tcp 443");
    lab.billingLines("grace-time: 10s\nsettlement-period: 500ms\n"); // rewards come with it
    lab.startServices();
    lab.network.snapt1.ip("route replace %s via %s".formatted(Topology.pool(2), Topology.SNAPT_2));
    operator.logIn();
    operator.run("tariff", "publish", tariff(clone, directory).toString());
    share();
    lab.startOtherDevice(1);
    lab.startAgent();
    download("by snapt-1");
    lab.deployment.stop("cnapt-2");
    lab.startOtherDevice(2);
    download("by snapt-2");
    lab.deployment.stop("cnapt");
    compareSums();
  }

  private static Path tariff(Path clone, Path directory) throws Exception {
    String shipped =
        Files.readString(
            clone.resolve("danum-billing/src/main/resources/io/viaduct/billing/tariff/tariff.yml"));
    return Files.writeString(
        directory.resolve("tariff.yml"), shipped + "\nrelay-share: %s\n".formatted(SHARE));
  }

  private void share() {
    NetworkNamespace alice = lab.network.devices().get(0);
    NetworkNamespace bob = lab.network.devices().get(1);
    LinkPlan link = PLAN.link("A");
    bob.sysctl("net.ipv4.ip_forward", "1");
    bob.nft(SHARING);
    alice.ip(
        """
        route del default
        route add default via %s dev linkA metric %d
        """
            .formatted(PLAN.deviceAddress(2, link, Family.IPV4), PLAN.metric(link)));
  }

  /// Downloads a text by Alice's tunnel, and waits for more reward of Bob.
  private void download(String way) throws Exception {
    long rewardBefore = lab.billing().relayRewards("bob");
    long namedBefore = lab.deployment.metric("snapt-1", NAMED);
    var download = new TextDownload();
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, BYTES, 100_000_000);
    TextDownload.Result done =
        lab.network
            .device
            .start("download", () -> download.run(Topology.SERVER, MovingLab.TEXT_PORT, path))
            .get(60, TimeUnit.SECONDS);
    MovingLab.say("SHA-256 right " + way, done.sha256().equals(TextDownload.expected(SEED, BYTES)));
    MovingLab.say("at snapt-1 " + way, lab.agent.at().startsWith("snapt-1"));
    MovingLab.say("relayed " + way, lab.deployment.metric("snapt-1", NAMED) - namedBefore);
    MovingLab.await(
        () -> lab.billing().relayRewards("bob") > rewardBefore, "bob has earned " + way);
  }

  /// Waits until every signed charge of Alice is settled, and prints the sums. Unsigned and late
  /// charges are never settled, and reward nobody.
  private void compareSums() throws Exception {
    MovingLab.await(
        () -> lab.billing().charged("alice", "corrected") == 0, "the signed charges are settled");
    // The rewards follow the settlement in the same run.
    MovingLab.await(() -> percent() >= PERCENT_MIN, "the settled charges reward bob");
    MovingLab.say("rewards in percent of the share", percent());
    MovingLab.say(
        "settled in percent of the charges",
        100 * lab.billing().charged("alice", "final") / lab.billing().charged("alice"));
    MovingLab.say("charged to alice", lab.billing().chargedBytes("alice"));
    MovingLab.say("charged to bob", lab.billing().chargedBytes("bob"));
    MovingLab.say("broken invariants", lab.billing().brokenInvariants());
    System.out.println(operator.run("rewards", "bob"));
    MovingLab.say("verified", operator.run("verify").lines().toList().getLast());
  }

  private long percent() throws Exception {
    double share = SHARE * lab.billing().charged("alice", "final");
    return Math.round(100 * lab.billing().relayRewards("bob") / Math.max(1, share));
  }
}
