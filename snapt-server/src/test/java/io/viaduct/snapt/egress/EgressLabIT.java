package io.viaduct.snapt.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.snapt.Lab;
import io.viaduct.snapt.LabServer;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.SnaptStand;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests which destinations devices reach through a SNAPT, with real TUN devices. Each forbidden
/// destination has a server that would answer.
class EgressLabIT {
  private static final Pattern REFUSED =
      Pattern.compile(
          "(?:egress_refused_total\\{|napt_packets_total\\{direction=\"up\",outcome=|reason=)+"
              + "\"(\\w+)\"} (\\d+)");
  private static final Set<InetAddress> SHARED =
      Set.of(InetAddress.ofLiteral("198.51.100.1"), InetAddress.ofLiteral("2001:db8:51::1"));
  private static final Pattern SLOT = Pattern.compile("\"slot\" ?: ?(\\d+)");

  @TempDir Path folder;
  private SnaptStand stand;
  private Lab lab;

  @BeforeEach
  void lay() throws Exception {
    String missing = Lab.missing();
    assumeTrue(missing.isEmpty(), missing);
    stand = new SnaptStand(folder);
    lab = stand.lab;
  }

  @AfterEach
  void clear() throws Exception {
    if (stand != null) {
      stand.close();
    }
  }

  private static byte[] udp(int toPort) {
    byte[] udp = new byte[12];
    ByteBuffer.wrap(udp).putShort((short) 5000).putShort((short) toPort).putShort((short) 12);
    return udp;
  }

  /// Returns a packet with a loose source route (LSRR): first to `by`, then to `to`.
  private static byte[] looseSourceRoute(String by, String to) {
    byte[] plain = PacketText.packet("10.64.0.2", by, 17, udp(9000));
    ByteBuffer routed = ByteBuffer.allocate(plain.length + 8);
    routed.put(plain, 0, 20).put(new byte[] {(byte) 131, 7, 4}).put(PacketText.address(to));
    routed.put((byte) 0).put(plain, 20, 12);
    routed.put(0, (byte) 0x47).putShort(2, (short) routed.capacity()).putShort(10, (short) 0);
    byte[] header = new byte[28];
    routed.get(0, header);
    return routed.putShort(10, (short) PacketText.checksum(header)).array();
  }

  /// Returns a packet with a routing header of type 0 (RFC 5095): first to `by`, then to `to`.
  private static byte[] routingHeader(String by, String to) {
    byte[] header = new byte[24 + 12];
    header[0] = 17;
    header[1] = 2;
    header[3] = 1;
    System.arraycopy(PacketText.address(to), 0, header, 8, 16);
    System.arraycopy(udp(9000), 0, header, 24, 12);
    return PacketText.packet("fdaa::2", by, 43, header);
  }

  private static void raw(Lab.Running device, byte[] packet) throws Exception {
    assertThat(device.ask("raw " + HexFormat.of().formatHex(packet))).isEqualTo("sent");
  }

  @Test
  void aDeviceReachesTheInternetAndNeitherTheSnaptNorItsNetworks() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    lab.start(lab.snapt, LabServer.class).line("up"); // answers on every address of the SNAPT
    lab.in(lab.server, "ip", "address", "add", "10.7.7.7/32", "dev", "lo");
    lab.in(lab.snapt, "ip", "route", "add", "10.7.7.7", "via", "198.51.100.2");
    stand.startSnapt("");
    Lab.Running agent = stand.startDevice(lab.device, "10.99.1.1", "alice");
    for (String hidden : List.of("10.99.0.0/24", "10.7.7.7", "10.200.0.0/16", "169.254.169.254")) {
      assertThat(agent.ask("route " + hidden)).isEqualTo("ok");
    }
    assertThat(agent.ask("knock 198.51.100.2 9000")).isEqualTo("answered");
    assertThat(agent.ask("knock 2001:db8:51::2 9000")).isEqualTo("answered");
    for (String refused :
        List.of(
            "10.99.0.2",
            "10.99.0.1", // the bridge
            "10.7.7.7",
            "10.200.0.1",
            "10.200.0.77",
            "169.254.169.254")) {
      assertThat(agent.ask("knock " + refused + " 9000")).as(refused).isEqualTo("prohibited");
    }
    for (String shared : List.of("198.51.100.1", "2001:db8:51::1")) {
      assertThat(agent.ask("knock " + shared + " 9000")).as(shared).isEqualTo("silent");
      assertThat(agent.ask("knock " + shared + " 900")).as(shared).isEqualTo("prohibited");
    }
    assertThat(agent.ask("dial 198.51.100.2 25")).as("mail").isEqualTo("prohibited");
    assertThat(agent.ask("dial 2001:db8:51::2 25")).as("mail").isEqualTo("prohibited");
    assertThat(agent.ask("dial 198.51.100.2 26")).as("another port").isEqualTo("closed");
    raw(agent, looseSourceRoute("198.51.100.2", "10.99.0.1"));
    raw(agent, routingHeader("2001:db8:51::2", "2001:db8:51::1"));
    // The broadcast address of the SNAPT's network, and the anycast address of its routers.
    raw(agent, PacketText.packet("10.64.0.2", "198.51.100.255", 17, udp(9000)));
    raw(agent, PacketText.packet("fdaa::2", "2001:db8:51::", 17, udp(9000)));
    raw(agent, PacketText.packet("fdaa::2", "fe80::1", 17, udp(9000)));
    raw(agent, PacketText.packet("10.64.0.3", "198.51.100.2", 17, udp(9000)));
    await()
        .untilAsserted(() ->
            assertThat(refusals())
                .containsEntry("own_address", 5)
                .containsEntry("control_network", 1)
                .containsEntry("private_network", 1)
                .containsEntry("source_route", 1)
                .containsEntry("pool_destination", 2)
                .containsEntry("routing_header", 1)
                .containsEntry("unroutable_destination", 2)
                .hasEntrySatisfying("foreign_source", count -> assertThat(count).isPositive())
                .hasEntrySatisfying("denied", count -> assertThat(count).isPositive()));
    assertThat(lab.said(lab.snapt, "nft", "list", "table", "inet", "viaduct_snapt0"))
        .as("the kernel's own rule had nothing to do")
        .contains("counter packets 0 bytes 0 drop");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void twoDevicesNeverReachEachOtherOrTheSnaptWithNftablesAndWithout(String masquerade)
      throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    lab.start(lab.snapt, LabServer.class).line("up");
    lab.start(lab.neighbour, LabServer.class).line("up");
    if (masquerade.equals("off")) { // the server then needs a route to the pool
      lab.in(lab.server, "ip", "route", "add", "10.200.0.0/16", "via", "198.51.100.1");
      lab.in(
          lab.server, "ip", "-6", "route", "add", "fd56:6961:6475::/64", "via", "2001:db8:51::1");
    }
    stand.startSnapt("egress: {masquerade: '%s'}\n".formatted(masquerade));
    Lab.Running bob = stand.startDevice(lab.neighbour, "10.99.2.1", "bob");
    int slot = slot();
    String bob4 = "10.200.%d.%d".formatted(slot >> 8, slot & 0xff);
    String bob6 = "fd56:6961:6475::" + Integer.toHexString(slot);
    Lab.Running alice = stand.startDevice(lab.device, "10.99.1.1", "alice");
    for (Lab.Running device : List.of(alice, bob)) {
      assertThat(device.ask("udp 198.51.100.2 9000 3")).isEqualTo("ok");
      assertThat(device.ask("udp 2001:db8:51::2 9000 3")).isEqualTo("ok");
    }
    String came = received();
    for (String to :
        List.of("10.200.0.0/16", "10.99.0.0/24", "fd56:6961:6475::/64", "169.254.169.254")) {
      assertThat(alice.ask("route " + to)).isEqualTo("ok");
    }
    for (String never :
        List.of(
            bob4,
            bob6,
            "10.99.0.2",
            "10.99.0.1", // the bridge
            "10.200.0.1",
            "10.200.255.247", // the alias of the public address
            "fd56:6961:6475::1",
            "169.254.169.254")) {
      assertThat(alice.ask("knock " + never + " 9000")).as(never).isEqualTo("prohibited");
      assertThat(alice.ask("dial " + never + " 9000")).as(never).isEqualTo("prohibited");
    }
    for (String shared : List.of("198.51.100.1", "2001:db8:51::1")) {
      assertThat(alice.ask("knock " + shared + " 9000"))
          .as("the public address that both share")
          .isEqualTo(masquerade.equals("on") ? "silent" : "prohibited");
      assertThat(alice.ask("dial " + shared + " 9000")).as(shared).isEqualTo("prohibited");
    }
    assertThat(alice.ask("ping " + bob4)).startsWith("failed").contains("Packet filtered");
    for (String by : List.of("198.51.100.2", "198.51.100.1", "10.99.2.2", bob4)) {
      for (String to : List.of(bob4, "198.51.100.1", "10.99.0.1")) {
        raw(alice, looseSourceRoute(by, to));
      }
    }
    for (String by : List.of("2001:db8:51::2", "2001:db8:51::1", bob6)) {
      for (String to : List.of(bob6, "2001:db8:51::1", "fe80::1")) {
        raw(alice, routingHeader(by, to));
      }
    }
    raw(alice, PacketText.packet("fdaa::2", "fe80::1", 17, udp(9000)));
    raw(alice, PacketText.packet(bob4, "198.51.100.2", 17, udp(9000))); // with bob's source address
    raw(alice, PacketText.packet(bob6, "2001:db8:51::2", 17, udp(9000)));
    await()
        .untilAsserted(() ->
            assertThat(refusals())
                .hasEntrySatisfying("routing_header", n -> assertThat(n).isEqualTo(9))
                .hasEntrySatisfying("source_route", n -> assertThat(n).isGreaterThanOrEqualTo(6))
                .hasEntrySatisfying(
                    "foreign_source", n -> assertThat(n).isGreaterThanOrEqualTo(2)));
    assertThat(alice.ask("knock 198.51.100.2 9000")).as("the rest goes on").isEqualTo("answered");
    assertThat(received()).as("packets that came to bob since").isEqualTo(came);
  }

  @Test
  void twoDevicesOfOneSnaptHearEachOtherAtItsAddressOnceBothHaveSpoken() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    lab.start(lab.snapt, LabServer.class).line("up");
    stand.startSnapt("");
    Lab.Running bob = stand.startDevice(lab.neighbour, "10.99.2.1", "bob");
    Lab.Running alice = stand.startDevice(lab.device, "10.99.1.1", "alice");
    for (String server : List.of("198.51.100.2", "2001:db8:51::2")) {
      hearEachOther(alice, bob, server.contains(":") ? 7006 : 7004, server);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          assertThat(packets("alice")).isEqualTo(Map.of("up", 2 * 60, "down", 2 * 40));
          assertThat(packets("bob")).isEqualTo(Map.of("up", 2 * 40, "down", 2 * 50));
        });
  }

  // Both have the same port inside, so the kernel gives one of them another port outside.
  private void hearEachOther(Lab.Running alice, Lab.Running bob, int port, String server)
      throws Exception {
    String atAlice = alice.ask("open " + port + " " + server);
    String atBob = bob.ask("open " + port + " " + server);
    assertThat(atAlice).isNotEqualTo(atBob);
    long before = turned();
    assertThat(alice.ask("say " + atBob + " 10")).isEqualTo("said");
    await().untilAsserted(() -> assertThat(turned()).isEqualTo(before + 10));
    assertThat(bob.ask("say " + atAlice + " 40")).isEqualTo("said");
    await().untilAsserted(() -> assertThat(alice.ask("heard")).contains(atBob + "=40"));
    assertThat(bob.ask("heard")).as("before bob had spoken").doesNotContain(atAlice);
    assertThat(alice.ask("say " + atBob + " 50")).isEqualTo("said");
    await().untilAsserted(() -> assertThat(bob.ask("heard")).contains(atAlice + "=50"));
  }

  private long turned() throws Exception {
    Matcher turned = Pattern.compile("viaduct_relay_turned_total (\\d+)").matcher(stand.metrics());
    assertThat(turned.find()).isTrue();
    return Long.parseLong(turned.group(1));
  }

  /// Returns the packets of RTP's size that a user's reports have, by direction.
  private Map<String, Integer> packets(String account) {
    Map<String, Integer> seen = new TreeMap<>();
    for (UsageReport report : stand.bridge.reports) {
      for (FlowUsage flow : report.getFlowsList()) {
        if (report.getAccount().equals(account)
            && SHARED.contains(InetAddress.ofLiteral(flow.getRemoteAddress()))) {
          int each = (flow.getRemoteAddress().contains(":") ? 40 : 20) + 8 + 172;
          seen.merge("up", (int) flow.getUp().getPreBytes() / each, Integer::sum);
          seen.merge("down", (int) flow.getDown().getPreBytes() / each, Integer::sum);
        }
      }
    }
    return seen;
  }

  /// Returns the number of packets that the neighbour's tunnel has delivered to its kernel.
  private String received() {
    try {
      return lab.said(lab.neighbour, "cat", "/sys/class/net/dev0/statistics/rx_packets").strip();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private int slot() throws Exception {
    Matcher slot =
        SLOT.matcher(OperationsClient.status(folder.resolve("snapt.sock"), Duration.ofSeconds(5)));
    assertThat(slot.find()).isTrue();
    return Integer.parseInt(slot.group(1));
  }

  /// Returns the number of refused packets of devices, by reason.
  private Map<String, Integer> refusals() throws Exception {
    Map<String, Integer> refused = new TreeMap<>();
    REFUSED
        .matcher(stand.metrics())
        .results()
        .forEach(line -> refused.put(line.group(1), Integer.valueOf(line.group(2))));
    return refused;
  }
}
