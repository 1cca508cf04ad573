package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests a SNAPT process with a real TUN device, between a real device and a real server.
class SnaptLabIT {
  @TempDir Path folder;
  private SnaptStand stand;
  private Lab lab;
  private TestBridge bridge;

  @BeforeEach
  void lay() throws Exception {
    String missing = Lab.missing();
    assumeTrue(missing.isEmpty(), missing);
    stand = new SnaptStand(folder);
    lab = stand.lab;
    bridge = stand.bridge;
  }

  @AfterEach
  void clear() throws Exception {
    if (stand != null) {
      stand.close();
    }
  }

  private Lab.Running startSnapt() throws Exception {
    return stand.startSnapt("");
  }

  private Lab.Running startDevice() throws Exception {
    return stand.startDevice(lab.device, "10.99.1.1", "alice");
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
    assertThat(stand.metrics())
        .contains(
            "viaduct_sessions 1.0",
            "viaduct_tunnel_verdicts_total{subject=\"datagram\",verdict=\"replayed\"} 0.0",
            "viaduct_flow_post_bytes_total{class=\"lt_ld\",direction=\"up\"}",
            "viaduct_control_refusals_total{code=\"token_forged\"} 0.0");

    // Makes usage that is in no report yet, before the SIGKILL, which allows no Goodbye.
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

  @Test
  void aUsedDataPortEndsItWithOneLineThatNamesKeyHostAndPort() throws Exception {
    lab.start(lab.snapt, LabServer.class).line("up"); // has UDP port 9000
    String file = stand.configuration(9000, "").toString();
    Lab.Running snapt = lab.start(lab.snapt, SnaptCommand.class, "run", "--config", file);
    assertThat(snapt.process.waitFor(40, TimeUnit.SECONDS)).isTrue();
    assertThat(snapt.process.exitValue()).as("%s", snapt.lines).isEqualTo(69);
    await()
        .untilAsserted(() ->
            assertThat(snapt.lines.stream().filter(line -> line.contains("data.port")))
                .singleElement()
                .asString()
                .contains(
                    "data.listen, data.port: cannot listen on UDP 0.0.0.0:9000",
                    "address already in use"));
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
    // `ip netns exec` replaces itself with the command, so the process is the JVM.
    Lab.run("kill", "-" + name, String.valueOf(running.process.pid()));
    if (name.equals("KILL")) {
      running.process.waitFor();
    }
  }
}
