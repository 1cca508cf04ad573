package io.viaduct.billing.diameter;

import static io.viaduct.billing.diameter.ChargedCalls.DENARIUS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A real Kamailio with its modules cdp and ims_charging, in the configuration that is shipped in
/// docker/kamailio: it asks a running billing for the seconds of its calls.
@Timeout(180)
class KamailioIT {
  private static final String PROGRAM = "kamailio";
  private static final Path MODULE =
      Path.of("/usr/lib/x86_64-linux-gnu/kamailio/modules/ims_charging.so");
  private static final String HOST = "scscf.ims.test";

  @TempDir Path folder;
  private ChargedCalls calls;
  private Process kamailio;
  private DatagramSocket heldUdp;
  private ServerSocket heldTcp;
  private TwoTelephones telephones;

  @BeforeEach
  void start() throws Exception {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, PROGRAM)))
            && Files.exists(MODULE);
    assumeThat(found)
        .as("skipped: kamailio with ims_charging is not installed (kamailio-ims-modules)")
        .isTrue();
    calls =
        new ChargedCalls(
            folder,
            InstantSource.system(),
            ChargedCalls.LOCALHOST,
            HOST,
            "{grant: 4s, validity: 30s}");
    calls.price(0.01);
    // The ports are free on another address, and held there: no other process gets them meanwhile.
    heldUdp = new DatagramSocket(0, InetAddress.getByName("127.0.0.3"));
    heldTcp = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.3"));
    kamailio = kamailio(heldUdp.getLocalPort(), heldTcp.getLocalPort());
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> calls.billing.counter("viaduct_diameter_events_total{kind=\"connected\"") > 0);
    telephones = new TwoTelephones(new InetSocketAddress("127.0.0.1", heldUdp.getLocalPort()));
  }

  private Process kamailio(int sip, int diameter) throws Exception {
    Path shipped = Path.of(System.getProperty("viaduct.root"), "docker/kamailio");
    Path peers = folder.resolve("charging-cdp.xml");
    Files.writeString(
        peers,
        Files.readString(shipped.resolve("charging-cdp.xml"))
            .replace("scscf.example.org", HOST)
            .replace("billing.example.org", ChargedCalls.LOCALHOST)
            .replace("example.org", ChargedCalls.REALM)
            .replace("3868", Integer.toString(calls.port()))
            .replace("3870", Integer.toString(diameter)));
    return new ProcessBuilder(
            PROGRAM,
            "-f",
            shipped.resolve("charging.cfg").toString(),
            "-DD",
            "-E",
            "-m",
            "64",
            "-M",
            "8",
            "-Y",
            folder.toString(),
            "-A",
            "LISTEN=udp:127.0.0.1:" + sip,
            "-A",
            "CDP_XML=\"" + peers + "\"",
            "-A",
            "OWN_HOST=\"" + HOST + "\"",
            "-A",
            "OCS=\"" + ChargedCalls.LOCALHOST + "\"",
            "-A",
            "REALM=\"" + ChargedCalls.REALM + "\"")
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("kamailio.log").toFile())
        .start();
  }

  @AfterEach
  void stop() throws Exception {
    if (telephones != null) {
      telephones.close();
    }
    if (kamailio != null) {
      List<ProcessHandle> workers = kamailio.descendants().toList();
      kamailio.destroy();
      if (!kamailio.waitFor(10, TimeUnit.SECONDS)) {
        workers.forEach(ProcessHandle::destroyForcibly);
        kamailio.destroyForcibly();
      }
      heldUdp.close();
      heldTcp.close();
    }
    if (calls != null) {
      calls.close();
    }
  }

  private JsonNode shown(String account) throws Exception {
    return calls
        .billing
        .get("/api/v1/accounts/" + account + "/calls", calls.billing.operator())
        .body()
        .at("/calls/0");
  }

  @Test
  void aCallOfKamailioLastsAsLongAsTheCreditAndIsPaidByTheSecond() throws Exception {
    calls.open("alice", 7 * DENARIUS / 100);
    long beganNs = System.nanoTime();
    assertThat(telephones.call("alice")).as(log()).isEqualTo(200);
    String line = telephones.next();
    while (!line.startsWith("BYE")) {
      line = telephones.next();
    }
    Duration lasted = Duration.ofNanos(System.nanoTime() - beganNs);
    assertThat(lasted).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(12));
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(shown("alice").get("state").asString()).as(log()).isEqualTo("termination"));
    JsonNode call = shown("alice");
    long seconds = call.get("seconds").asLong();
    assertThat(call.get("node").asString()).isEqualTo(HOST);
    assertThat(seconds).as(log()).isBetween(5L, 8L);
    assertThat(call.get("chargeMicrodenarii").asLong()).isEqualTo(seconds * DENARIUS / 100);
    JsonNode credit =
        calls.billing.get("/api/v1/accounts/alice/credit", calls.billing.operator()).body();
    assertThat(credit.get("reservedMicrodenarii").asLong()).isZero();
    assertThat(calls.billing.counter("viaduct_call_requests_total{result=\"success\""))
        .as("initial, updates, termination")
        .isGreaterThanOrEqualTo(4);

    assertThat(telephones.call("alice")).as("the credit is used up").isEqualTo(402);
    assertThat(telephones.call("nobody")).as("an unknown user").isEqualTo(402);
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("kamailio.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
