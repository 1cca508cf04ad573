package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A SNAPT as a process with a real TUN device, between a real device and a real server.
class SnaptLabIT {
  private static final int CONTROL_PORT = 4443;

  private static final String METRICS =
      "exec 3<>/dev/tcp/127.0.0.1/9464; printf 'GET /metrics HTTP/1.1\r\n"
          + "Connection: close\r\n\r\n"
          + "' >&3; cat <&3";

  private static final Pattern REFUSED =
      Pattern.compile(
          "(?:egress_refused_total\\{|napt_packets_total\\{direction=\"up\",outcome=|reason=)+"
              + "\"(\\w+)\"} (\\d+)");

  @TempDir Path folder;
  private Lab lab;
  private TestOperator operator;
  private TestBridge bridge;
  private final KeyPair device = Ed25519.generate();

  @BeforeEach
  void lay() throws Exception {
    String missing = Lab.missing();
    assumeTrue(missing.isEmpty(), missing);
    lab = new Lab();
    lab.lay();
    operator = new TestOperator(folder.resolve("pki"));
    bridge =
        new TestBridge(
            operator.material("ims-bridge", "10.99.0.1"),
            new InetSocketAddress("10.99.0.1", 0),
            operator.tokenKey());
    Ed25519.writePrivate(folder.resolve("device.pem"), device.getPrivate());
    Files.write(
        folder.resolve("token"),
        operator.sign(TestOperator.token("alice", device).build()).toByteArray());
  }

  @AfterEach
  void clear() throws Exception {
    if (bridge != null) {
      bridge.close();
    }
    if (lab != null) {
      lab.close();
    }
  }

  private Lab.Running startSnapt() throws Exception {
    TlsSettings tls = operator.issue("snapt-1", "10.99.1.1", "10.99.0.2");
    Path file =
        Files.writeString(
            folder.resolve("snapt.yml"),
            """
            id: snapt-1
            state: %1$s/state
            socket: %1$s/snapt.sock
            tls: {certificate: %2$s, private-key: %3$s, trust: %4$s}
            control: {host: 10.99.1.1, port: %5$d}
            data: {port: 4500, loops: 2}
            metering: {interval: 5s}
            reporting: {bridge-host: 10.99.0.1, bridge-port: %6$d, report-key: %7$s, status-every: 500ms}
            operations: {host: 127.0.0.1, port: 9464}
            """
                .formatted(
                    folder,
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    CONTROL_PORT,
                    bridge.port(),
                    operator.reportKey()));
    Lab.Running snapt =
        lab.start(lab.snapt, SnaptCommand.class, "run", "--config", file.toString());
    int before = bridge.statuses.size();
    await()
        .atMost(Duration.ofSeconds(40))
        .failFast("SNAPT ended", () -> !snapt.process.isAlive())
        .until(() -> bridge.statuses.size() > before + 1);
    return snapt;
  }

  private Lab.Running startDevice() throws Exception {
    Lab.Running running =
        lab.start(
            lab.device,
            LabDevice.class,
            "10.99.1.1",
            String.valueOf(CONTROL_PORT),
            operator.trust().toString(),
            folder.resolve("device.pem").toString(),
            folder.resolve("token").toString());
    running.line("up ");
    return running;
  }

  @Test
  void everyKindOfTrafficIsCarriedMeteredReportedAndSurvivesASigkill() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    Lab.Running snapt = startSnapt();
    Lab.Running agent = startDevice();
    carryEverything(agent);
    assertThat(lab.said(lab.snapt, "nft", "list", "tables"))
        .as("masquerading where nftables is installed")
        .contains("viaduct_snapt0");
    UsageReport first = reportWithTraffic();
    assertThat(first.getAccount()).isEqualTo("alice");
    assertThat(OperationsClient.status(folder.resolve("snapt.sock"), Duration.ofSeconds(5)))
        .contains("\"account\":\"alice\"", "\"binding\":\"10.99.1.2 ");
    assertThat(SnaptCommand.run("status", "--socket", folder.resolve("snapt.sock").toString()))
        .isZero();
    assertThat(lab.said(lab.snapt, "bash", "-c", METRICS))
        .contains(
            "viaduct_sessions 1.0",
            "viaduct_tunnel_verdicts_total{subject=\"datagram\",verdict=\"replayed\"} 0.0",
            "viaduct_flow_post_bytes_total{class=\"lt_ld\",direction=\"up\"}",
            "viaduct_control_refusals_total{code=\"token_forged\"} 0.0");

    // Usage that no report has seen yet, then no chance to say goodbye.
    assertThat(agent.ask("udp 198.51.100.2 9000 40")).isEqualTo("ok");
    Instant carried = Instant.now();
    await().until(() -> logWritten().isAfter(carried.plusMillis(100)));
    long udpBefore = preBytes(17);
    signal(snapt, "KILL");
    agent.process.destroyForcibly().waitFor();
    Lab.Running again = startSnapt();
    await().until(() -> bridge.reports.stream().anyMatch(UsageReport::getLast));
    assertThat(preBytes(17)).as("UDP of the open interval").isGreaterThanOrEqualTo(udpBefore);
    assertThat(preBytes(17)).isGreaterThanOrEqualTo(2 * 30L * 528 + 2 * 40L * 528);

    Lab.Running returned = startDevice();
    assertThat(returned.ask("tcp 198.51.100.2 9000 100000")).isEqualTo("ok");
    signal(again, "TERM");
    assertThat(again.process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(again.process.exitValue()).isZero();
    List<UsageReport> second = bridge.reports.stream().filter(r -> r.getEpoch() == 2).toList();
    assertThat(second).isNotEmpty().last().matches(UsageReport::getLast);
    assertNoIdentityTwice();
    assertThat(lab.said(lab.snapt, "nft", "list", "tables")).doesNotContain("viaduct");
    assertThat(lab.said(lab.snapt, "ip", "link")).doesNotContain("snapt0");
  }

  @Test
  void aDeviceReachesTheInternetAndNeitherTheSnaptNorItsNetworks() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    lab.start(lab.snapt, LabServer.class).line("up"); // answers on every address of the SNAPT
    lab.in(lab.server, "ip", "address", "add", "10.7.7.7/32", "dev", "lo");
    lab.in(lab.snapt, "ip", "route", "add", "10.7.7.7", "via", "198.51.100.2");
    startSnapt();
    Lab.Running agent = startDevice();
    for (String hidden : List.of("10.99.0.0/24", "10.7.7.7", "10.200.0.0/16", "169.254.169.254")) {
      assertThat(agent.ask("route " + hidden)).isEqualTo("ok");
    }
    assertThat(agent.ask("knock 198.51.100.2 9000")).isEqualTo("answered");
    assertThat(agent.ask("knock 2001:db8:51::2 9000")).isEqualTo("answered");
    for (String refused :
        List.of(
            "198.51.100.1", // the SNAPT's public address: what its NAT shows of the device
            "2001:db8:51::1",
            "10.99.0.2",
            "10.99.0.1", // the bridge
            "10.7.7.7",
            "10.200.0.1",
            "10.200.0.77",
            "169.254.169.254")) {
      assertThat(agent.ask("knock " + refused + " 9000")).as(refused).isEqualTo("silent");
    }
    assertThat(agent.ask("dial 198.51.100.2 25")).as("mail").isEqualTo("silent");
    assertThat(agent.ask("dial 198.51.100.2 26")).as("another port").isEqualTo("closed");
    // A loose source route by the SNAPT's neighbour, and a routing header of type 0.
    byte[] udp = new byte[12];
    ByteBuffer.wrap(udp).putShort((short) 5000).putShort((short) 9000).putShort((short) 12);
    byte[] plain = PacketText.packet("10.64.0.2", "198.51.100.2", 17, udp);
    ByteBuffer routed = ByteBuffer.allocate(plain.length + 8);
    routed.put(plain, 0, 20).put(new byte[] {(byte) 131, 7, 4, 10, 99, 0, 1, 0});
    routed.put(plain, 20, 12).put(0, (byte) 0x47).putShort(2, (short) routed.capacity());
    agent.ask("raw " + HexFormat.of().formatHex(routed.array()));
    byte[] header = new byte[24 + udp.length];
    header[0] = 17;
    header[1] = 2;
    header[3] = 1;
    System.arraycopy(udp, 0, header, 24, udp.length);
    byte[] typeZero = PacketText.packet("fdaa::2", "2001:db8:51::2", 43, header);
    agent.ask("raw " + HexFormat.of().formatHex(typeZero));
    // The broadcast address of the SNAPT's network, and the anycast address of its routers.
    byte[] broadcast = PacketText.packet("10.64.0.2", "198.51.100.255", 17, udp);
    agent.ask("raw " + HexFormat.of().formatHex(broadcast));
    byte[] anycast = PacketText.packet("fdaa::2", "2001:db8:51::", 17, udp);
    agent.ask("raw " + HexFormat.of().formatHex(anycast));
    byte[] linkLocal = PacketText.packet("fdaa::2", "fe80::1", 17, udp);
    agent.ask("raw " + HexFormat.of().formatHex(linkLocal));
    byte[] forged = PacketText.packet("10.64.0.3", "198.51.100.2", 17, udp);
    agent.ask("raw " + HexFormat.of().formatHex(forged));
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

  @Test
  void whoHadAPublicAddressAndPortIsAnsweredWithoutANameOfAnybodyElse() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    startSnapt();
    Lab.Running agent = startDevice();
    assertThat(agent.ask("udp 198.51.100.2 9000 3")).isEqualTo("ok");
    Path records = folder.resolve("state/attribution");
    Pattern begun = Pattern.compile("N \\d+ 17 198\\.51\\.100\\.1 (\\d+) 198\\.51\\.100\\.2 9000 ");
    await().until(() -> begun.matcher(text(records)).find());
    var found = begun.matcher(text(records));
    assertThat(found.find()).isTrue();
    String port = found.group(1);
    String config = folder.resolve("snapt.yml").toString();
    String now = Instant.now().toString();
    PrintStream out = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said));
    try {
      assertThat(SnaptCommand.run("who", "--config", config, "198.51.100.1", port, now)).isZero();
      assertThat(SnaptCommand.run("who", "--config", config, "198.51.100.1", "1", now))
          .isEqualTo(69);
      assertThat(SnaptCommand.run("who", "--config", config, "198.51.100.1", port, "yesterday"))
          .isEqualTo(64);
    } finally {
      System.setOut(out);
    }
    assertThat(said.toString())
        .contains("account alice, session ", "token t-alice", "protocol 17 to 198.51.100.2 9000");
  }

  private static String text(Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        text.append(Files.readString(file));
      }
    }
    return text.toString();
  }

  @Test
  void stateIsPrivateWhateverTheUmaskAndAnOpenDirectoryIsClosed() throws Exception {
    Path state = Files.createDirectories(folder.resolve("state/spool"));
    Files.writeString(state.resolve("old"), "of a version before");
    Lab.run("chmod", "-R", "a+rwX", folder.resolve("state").toString());
    lab.start(lab.server, LabServer.class).line("up");
    Lab.Running snapt = startSnapt();
    Lab.Running agent = startDevice();
    assertThat(agent.ask("udp 198.51.100.2 9000 5")).isEqualTo("ok");
    await().until(() -> Files.exists(folder.resolve("state/intervals")));
    assertThat(lab.said(lab.snapt, "find", folder.resolve("state").toString(), "-perm", "/077"))
        .isEmpty();
    assertThat(
            lab.said(lab.snapt, "find", folder.resolve("snapt.sock").toString(), "-perm", "/077"))
        .isEmpty();
    assertThat(snapt.lines.stream().filter(line -> line.contains("could be read by other users")))
        .hasSize(1);
  }

  /// Packets of devices by the reason why they did not leave.
  private Map<String, Integer> refusals() throws Exception {
    Map<String, Integer> refused = new TreeMap<>();
    REFUSED
        .matcher(lab.said(lab.snapt, "bash", "-c", METRICS))
        .results()
        .forEach(line -> refused.put(line.group(1), Integer.valueOf(line.group(2))));
    return refused;
  }

  private Instant logWritten() throws IOException {
    try (var files = Files.list(folder.resolve("state/intervals"))) {
      Instant newest = Instant.EPOCH;
      for (Path file : files.toList()) {
        Instant written = Files.getLastModifiedTime(file).toInstant();
        newest = written.isAfter(newest) ? written : newest;
      }
      return newest;
    }
  }

  @Test
  void whereIpv6IsDisabledItServesIpv4AndSaysSoInOneLine() throws Exception {
    for (String of : List.of("all", "default")) {
      String key = "/proc/sys/net/ipv6/conf/" + of + "/disable_ipv6";
      lab.in(lab.snapt, "sh", "-c", "echo 1 >" + key);
    }
    Lab.Running snapt = startSnapt();
    assertThat(snapt.lines.stream().filter(line -> line.contains("IPv6 is disabled"))).hasSize(1);
  }

  private static void carryEverything(Lab.Running agent) throws InterruptedException {
    assertThat(agent.ask("ping 198.51.100.2")).isEqualTo("ok");
    assertThat(agent.ask("ping 2001:db8:51::2")).isEqualTo("ok");
    assertThat(agent.ask("udp 198.51.100.2 9000 30")).isEqualTo("ok");
    assertThat(agent.ask("udp 2001:db8:51::2 9000 30")).isEqualTo("ok");
    assertThat(agent.ask("tcp 198.51.100.2 9000 2000000")).isEqualTo("ok");
    assertThat(agent.ask("tcp 2001:db8:51::2 9000 2000000")).isEqualTo("ok");
  }

  private UsageReport reportWithTraffic() {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> preBytes(6) > 8_000_000 && preBytes(17) > 0 && preBytes(58) > 0);
    for (UsageReport report : bridge.reports) {
      long pre = 0;
      long post = 0;
      for (FlowUsage flow : report.getFlowsList()) {
        pre += flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
        post += flow.getUp().getPostBytes() + flow.getDown().getPostBytes();
      }
      assertThat(report.getPreBytes()).isEqualTo(pre);
      assertThat(report.getPostBytes()).isEqualTo(post);
      assertThat(report.getEndMs()).isGreaterThan(report.getStartMs());
    }
    return bridge.reports.getFirst();
  }

  private long preBytes(int protocol) {
    return bridge.reports.stream()
        .flatMap(report -> report.getFlowsList().stream())
        .filter(flow -> flow.getProtocol() == protocol)
        .mapToLong(flow -> flow.getUp().getPreBytes() + flow.getDown().getPreBytes())
        .sum();
  }

  private void assertNoIdentityTwice() {
    Set<String> identities = new HashSet<>();
    for (UsageReport report : bridge.reports) {
      String identity =
          report.getSessionId() + " " + report.getEpoch() + " " + report.getSequence();
      assertThat(identities.add(identity)).as("twice: %s", identity).isTrue();
    }
  }

  @Test
  void reportsWaitOnDiskWhileTheBridgeIsSilentAndGoAfterARestart() throws Exception {
    lab.start(lab.server, LabServer.class).line("up");
    bridge.verdict = _ -> Optional.of(ReportVerdict.DEFERRED);
    Lab.Running snapt = startSnapt();
    Lab.Running agent = startDevice();
    assertThat(agent.ask("udp 198.51.100.2 9000 20")).isEqualTo("ok");
    signal(snapt, "TERM");
    assertThat(snapt.process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    bridge.reports.clear();
    bridge.verdict = _ -> Optional.of(ReportVerdict.POSTED);
    startSnapt();
    await().until(() -> preBytes(17) >= 2 * 20L * 528);
    await().until(() -> bridge.statuses.getLast().getReportsPending() == 0);
    assertNoIdentityTwice();
  }

  private static void signal(Lab.Running running, String name) throws Exception {
    // `ip netns exec` replaces itself by the command, so the process is the JVM.
    Lab.run("kill", "-" + name, String.valueOf(running.process.pid()));
    if (name.equals("KILL")) {
      running.process.waitFor();
    }
  }
}
