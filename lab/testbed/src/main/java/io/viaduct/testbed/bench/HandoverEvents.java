package io.viaduct.testbed.bench;

import static io.viaduct.testbed.bench.HandoverGoal.of;
import static io.viaduct.testbed.bench.Statistic.P50;
import static io.viaduct.testbed.bench.Statistic.P95;
import static io.viaduct.testbed.bench.Statistic.P99;
import static io.viaduct.testbed.bench.Statistic.SUM;
import static io.viaduct.testbed.bench.Statistic.WORST;

import io.viaduct.testbed.traffic.Way;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The events of `bench handover` with their goals.
final class HandoverEvents {
  private static final double RTT_MS = MovingLinks.RTT_NS / 1e6;
  private static final int PROBES_MAX = 25;
  private static final long REST_NS = 35_000_000_000L; // what counts as oscillation to an agent
  private static final String LOSS = "loss=20%";
  private static final String SLOW = "delay=110ms"; // 200 ms more there and back

  private HandoverEvents() {}

  static List<HandoverEvent> all() {
    return List.of(
        linkDown(),
        planned(),
        quality(),
        blackHole("black-hole", "black hole behind the access point, link A stays up", false, 300),
        blackHole("black-hole-down", "the same, for a device that only receives", true, 1_000),
        new FlapEvent(),
        families("to-ipv6", "the IPv4 link goes down, the IPv6 link is up", "A", "C"),
        families("to-ipv4", "the IPv6 link goes down, the IPv4 link is up", "C", "A"),
        new FloodEvent(),
        new ClassLossEvent(),
        new BulkEvent("bulk", 0),
        new BulkUdpEvent(),
        new BulkEvent("bulk-jitter-10", 10),
        new BulkEvent("bulk-jitter-50", 50),
        new BulkEvent("bulk-jitter-100", 100),
        new BulkEvent("bulk-jitter-200", 200),
        new CopiesEvent(),
        new RequestsEvent(),
        new ChangingLineEvent(),
        new SaturationEvent(Duration.ofMinutes(30)),
        new SleepEvent(Duration.ofMinutes(10)),
        newAddress(),
        rebinding()); // last: a registration notices the new mapping much later
  }

  private static HandoverEvent linkDown() {
    var goals = new ArrayList<HandoverGoal>();
    for (Way way : Way.values()) {
      goals.add(of(Reading.outage(way), P50, RTT_MS + 10));
      goals.add(of(Reading.outage(way), P99, 60));
    }
    return new StreamEvent(
        "link-down",
        "link A goes down, B is up",
        goals,
        true,
        "A",
        "B",
        false,
        0,
        (links, peer) -> links.lose("A"),
        (links, peer) -> links.restore("A"));
  }

  private static List<HandoverGoal> nothingLost() {
    var goals = new ArrayList<HandoverGoal>();
    for (Way way : Way.values()) {
      goals.add(of(Reading.lost(way), SUM, 0));
      goals.add(of(Reading.duplicated(way), SUM, 0));
      goals.add(of(Reading.reordering(way), WORST, RTT_MS));
    }
    return goals;
  }

  private static HandoverEvent planned() {
    return new StreamEvent(
        "planned",
        "planned move from A to B, both work",
        nothingLost(),
        true,
        "A",
        "B",
        false,
        0,
        (links, peer) -> peer.leaveLinkA(links.network()),
        (links, peer) -> peer.returnToLinkA(links.network()));
  }

  private static HandoverEvent quality() {
    return new StreamEvent(
        "quality",
        "link A gets 20 % loss and 200 ms more, B is good",
        nothingLost(),
        true,
        "A",
        "B",
        false,
        REST_NS,
        (links, peer) -> links.weather("A", LOSS, SLOW),
        (links, peer) -> links.clear("A"));
  }

  private static HandoverEvent blackHole(
      String name, String title, boolean onlyDown, double mostMs) {
    var goals = new ArrayList<HandoverGoal>();
    for (Way way : onlyDown ? List.of(Way.DOWN) : List.of(Way.values())) {
      goals.add(of(Reading.outage(way), P95, mostMs));
    }
    goals.add(of(Reading.PROBES, WORST, PROBES_MAX));
    return new StreamEvent(
        name,
        title,
        goals,
        false,
        "A",
        "B",
        onlyDown,
        0,
        (links, peer) -> links.weather("A", "blackhole=on"),
        (links, peer) -> links.clear("A"));
  }

  private static List<HandoverGoal> oneRoundTrip() {
    return List.of(
        of(Reading.outage(Way.UP), P50, RTT_MS),
        of(Reading.outage(Way.UP), P99, RTT_MS),
        of(Reading.outage(Way.DOWN), P50, RTT_MS),
        of(Reading.outage(Way.DOWN), P99, RTT_MS),
        of(Reading.LATER_LOST, SUM, 0));
  }

  private static HandoverEvent newAddress() {
    return new StreamEvent(
        "new-address",
        "new address on link A, no other link",
        oneRoundTrip(),
        true,
        "A",
        "",
        false,
        0,
        (links, peer) -> links.newAddress(peer, true),
        (links, peer) -> links.newAddress(peer, false));
  }

  private static HandoverEvent rebinding() {
    return new StreamEvent(
        "rebinding",
        "the gateway's NAT maps to another address, no other link",
        oneRoundTrip(),
        true,
        "A",
        "",
        false,
        0,
        (links, peer) -> links.rebind(true),
        (links, peer) -> links.rebind(false));
  }

  private static HandoverEvent families(String name, String title, String from, String to) {
    var goals = List.of(of(Reading.ended(Way.UP), SUM, 0), of(Reading.ended(Way.DOWN), SUM, 0));
    return new StreamEvent(
        name,
        title,
        goals,
        false,
        from,
        to,
        false,
        0,
        (links, peer) -> links.lose(from),
        (links, peer) -> links.restore(from));
  }
}
