package io.viaduct.host.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.host.linux.Loops;
import io.viaduct.host.linux.Namespace;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class NetlinkMonitorLabIT {
  private final List<NetworkChange> changes = new CopyOnWriteArrayList<>();

  private <T extends NetworkChange> void expect(Class<T> type, Predicate<T> which) {
    await()
        .untilAsserted(() ->
            assertThat(changes)
                .anyMatch(change -> type.isInstance(change) && which.test(type.cast(change))));
  }

  private NetlinkMonitor start(Namespace namespace, Loops loops) throws Exception {
    return namespace.run(() -> NetlinkMonitor.start(loops.first(), changes::add));
  }

  @Test
  void allExistingItemsAreReportedFirstAndThenEachChangeAtOnce() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip link add one mtu 1400 type veth peer name two");
      namespace.command("ip address add 10.1.1.1/24 dev one");
      try (NetlinkMonitor monitor = start(namespace, loops)) {
        expect(NetworkChange.Complete.class, _ -> true);
        assertThat(changes.getFirst()).isEqualTo(new NetworkChange.Resync());
        expect(
            NetworkChange.LinkPresent.class,
            link -> link.name().equals("one") && link.mtuBytes() == 1400 && !link.isUp());
        InetAddress own = InetAddress.getByName("10.1.1.1");
        expect(
            NetworkChange.AddressPresent.class,
            one -> one.address().equals(own) && one.prefixLength() == 24 && one.isUsable());
        changes.clear();

        namespace.command("ip link set one up");
        namespace.command("ip link set two up");
        expect(
            NetworkChange.LinkPresent.class,
            link -> link.name().equals("one") && link.isUp() && link.hasCarrier());
        InetAddress gateway = InetAddress.getByName("10.1.1.254");
        namespace.command("ip route add default via 10.1.1.254 metric 7");
        expect(
            NetworkChange.RoutePresent.class,
            one ->
                one.route().isDefault()
                    && gateway.equals(one.route().gateway())
                    && one.route().metric() == 7
                    && one.route().table() == 254);
        namespace.command("ip route add 10.2.0.0/16 nexthop via 10.1.1.2 nexthop via 10.1.1.3");
        for (String hop : List.of("10.1.1.2", "10.1.1.3")) {
          InetAddress via = InetAddress.getByName(hop);
          expect(
              NetworkChange.RoutePresent.class,
              one -> via.equals(one.route().gateway()) && one.route().linkIndex() > 0);
        }
        changes.clear();

        namespace.command("ip address del 10.1.1.1/24 dev one");
        expect(NetworkChange.AddressGone.class, one -> one.address().equals(own));
        // The kernel drops the routes through that link without a report, so a resync must follow.
        expect(NetworkChange.Complete.class, _ -> true);
        assertThat(changes)
            .noneMatch(change ->
                change instanceof NetworkChange.RoutePresent one && one.route().isDefault());
        namespace.command("ip link set two down");
        expect(
            NetworkChange.LinkPresent.class,
            link -> link.name().equals("one") && !link.hasCarrier());
        namespace.command("ip link delete one");
        expect(NetworkChange.LinkGone.class, link -> link.name().equals("one"));
        assertThat(monitor.malformed()).isZero();
        assertThat(monitor.overruns()).isZero();
      }
    }
  }

  @Test
  void ipv6AddressesAreUsableOnlyAfterDuplicateDetection() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip link add one type veth peer name two");
      namespace.command("ip link set two up");
      namespace.command("ip link set one up");
      try (NetlinkMonitor _ = start(namespace, loops)) {
        expect(NetworkChange.Complete.class, _ -> true);
        namespace.command("ip address add fd01::1/64 dev one");
        InetAddress own = InetAddress.getByName("fd01::1");
        expect(
            NetworkChange.AddressPresent.class,
            one -> one.address().equals(own) && !one.isUsable());
        expect(
            NetworkChange.AddressPresent.class, one -> one.address().equals(own) && one.isUsable());
      }
    }
  }

  @Test
  void afterLostMessagesEverythingIsToldAnew() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        NetlinkMonitor monitor = start(namespace, loops)) {
      expect(NetworkChange.Complete.class, _ -> true);
      namespace.command("ip link add one type veth peer name two");
      namespace.command("ip link set two up");
      namespace.command("ip link set one up");
      changes.clear();
      // While the loop is blocked, more happens than the socket's buffer (1 MiB, doubled) holds.
      CountDownLatch held = new CountDownLatch(1);
      loops.first().execute(() -> awaitQuietly(held));
      StringBuilder batch = new StringBuilder();
      for (int i = 0; i < 8_000; i++) {
        batch.append("route add 10.%d.%d.0/24 dev one\n".formatted(100 + i / 250, i % 250));
      }
      Path file = Files.createTempFile("routes", ".batch");
      Files.writeString(file, batch);
      namespace.command("ip -batch " + file);
      Files.delete(file);
      namespace.command("ip link add last type veth peer name lost");
      held.countDown();
      expect(NetworkChange.Resync.class, _ -> true);
      await()
          .untilAsserted(
              () -> assertThat(changes.getLast()).isEqualTo(new NetworkChange.Settled()));
      int resync = changes.lastIndexOf(new NetworkChange.Resync());
      List<NetworkChange> after = changes.subList(resync, changes.size());
      assertThat(after)
          .anyMatch(change ->
              change instanceof NetworkChange.LinkPresent link && link.name().equals("last"));
      assertThat(after)
          .filteredOn(c -> c instanceof NetworkChange.RoutePresent)
          .hasSizeGreaterThan(7_999);
      assertThat(monitor.overruns()).isPositive();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
