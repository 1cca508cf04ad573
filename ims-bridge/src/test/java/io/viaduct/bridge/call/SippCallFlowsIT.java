package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Call flows between processes of sipp, through a real bridge, over UDP and over TCP. Each test
/// says what has arrived at each end, by the CSeq of the caller's requests: its INVITE has 2.
@Timeout(180)
class SippCallFlowsIT {
  @TempDir static Path directory;
  private static BridgeRig rig;
  private static int flows;

  private final List<SippAgent> agents = new ArrayList<>();
  private Path folder;
  private String network;

  @BeforeAll
  static void startBridge() throws Exception {
    boolean isInstalled =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "sipp")));
    assumeThat(isInstalled)
        .as("skipped: sipp is not installed (apt-get install sip-tester)")
        .isTrue();
    rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
  }

  @AfterAll
  static void stopBridge() throws Exception {
    if (rig != null) {
      rig.close();
    }
  }

  @BeforeEach
  void choosePlace() {
    folder = directory.resolve("flow-" + ++flows);
    SplittableRandom random = new SplittableRandom();
    network = "127.%d.%d.".formatted(random.nextInt(1, 255), random.nextInt(256));
  }

  @AfterEach
  void stopAgents() {
    agents.forEach(SippAgent::close);
    rig.clock.advance(java.time.Duration.ofMinutes(5)); // their registrations end
    await().until(() -> rig.bridge.locations().size() == 0);
  }

  private SippAgent callee(CallFlow flow, String part, String transport, int host)
      throws IOException {
    SippAgent agent =
        SippAgent.callee(
            folder.resolve(part), flow, part, network + host, transport, rig.bridge.sipPort());
    agents.add(agent);
    return agent;
  }

  /// Lets the caller play its part to the end.
  private SippAgent call(CallFlow flow, String transport) throws Exception {
    SippAgent caller =
        SippAgent.caller(
            folder.resolve("caller"), flow, network + 1, transport, rig.bridge.sipPort());
    agents.add(caller);
    int code = caller.exitCode();
    StringBuilder story = new StringBuilder();
    for (SippAgent agent : code == 0 ? List.<SippAgent>of() : agents) {
      story.append(agent.story());
    }
    assertThat(code).as("%s", story).isZero();
    return caller;
  }

  /// Plays a flow of two, and checks what has arrived.
  private void play(String name, String transport, List<String> atCaller, List<String> atCallee)
      throws Exception {
    CallFlow flow = CallFlow.read(name);
    SippAgent bob = callee(flow, "callee", transport, 2);
    await().until(() -> rig.bridge.locations().size() == 1);
    SippAgent alice = call(flow, transport);
    assertThat(alice.heard()).as("at the caller").containsExactlyElementsOf(atCaller);
    await()
        .untilAsserted(
            () -> assertThat(bob.heard()).as("at the callee").containsExactlyElementsOf(atCallee));
  }

  private static double refused(String reason) {
    return rig.counter("viaduct_bridge_sip_refused", "reason", reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void aReliableProvisionalResponseIsAcknowledged(String transport) throws Exception {
    play(
        "prack",
        transport,
        List.of("407 1 INVITE", "180 2 INVITE", "200 3 PRACK", "200 2 INVITE", "200 4 BYE"),
        List.of("INVITE 2", "PRACK 3", "ACK 2", "BYE 4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void anUpdatePassesBeforeAndAfterTheAcceptance(String transport) throws Exception {
    play(
        "update",
        transport,
        List.of(
            "407 1 INVITE",
            "183 2 INVITE",
            "200 3 UPDATE",
            "200 2 INVITE",
            "200 4 UPDATE",
            "200 5 BYE"),
        List.of("INVITE 2", "UPDATE 3", "ACK 2", "UPDATE 4", "BYE 5"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void aCancelEndsTheRinging(String transport) throws Exception {
    double cancelled = rig.counter("viaduct_bridge_sip_events", "event", "call_cancelled");
    play(
        "cancel",
        transport,
        List.of("407 1 INVITE", "180 2 INVITE", "200 2 CANCEL", "487 2 INVITE"),
        List.of("INVITE 2", "CANCEL 2", "ACK 2"));
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "call_cancelled"))
        .isEqualTo(cancelled + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void aReInviteChangesTheSessionAndTheByeEndsIt(String transport) throws Exception {
    double ended = rig.counter("viaduct_bridge_sip_events", "event", "call_ended");
    play(
        "reinvite",
        transport,
        List.of("407 1 INVITE", "180 2 INVITE", "200 2 INVITE", "200 3 INVITE", "200 4 BYE"),
        List.of("INVITE 2", "ACK 2", "INVITE 3", "ACK 3", "BYE 4"));
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "call_ended"))
        .isEqualTo(ended + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void aTransferIsRefusedWithWordsAndTheCallGoesOn(String transport) throws Exception {
    double refused = refused("transfer_refused");
    play(
        "refer",
        transport,
        List.of("407 1 INVITE", "200 2 INVITE", "403 3 REFER", "200 4 BYE"),
        List.of("INVITE 2", "ACK 2", "BYE 4"));
    assertThat(refused("transfer_refused")).isEqualTo(refused + 1);
    assertThat(agents.getLast().messages()).contains("calls cannot be transferred here");
  }

  @ParameterizedTest
  @ValueSource(strings = {"u1", "t1"})
  void aCallRingsAtTwoTelephonesAndTheOtherOneHearsThatItWasTaken(String transport)
      throws Exception {
    CallFlow flow = CallFlow.read("fork");
    SippAgent taker = callee(flow, "callee", transport, 2);
    SippAgent other = callee(flow, "other", transport, 3);
    await().until(() -> rig.bridge.locations().size() == 2);
    SippAgent alice = call(flow, transport);
    assertThat(alice.heard())
        .containsExactly("407 1 INVITE", "180 2 INVITE", "200 2 INVITE", "200 3 BYE");
    await()
        .untilAsserted(
            () -> assertThat(taker.heard()).containsExactly("INVITE 2", "ACK 2", "BYE 3"));
    await()
        .untilAsserted(
            () -> assertThat(other.heard()).containsExactly("INVITE 2", "CANCEL 2", "ACK 2"));
    assertThat(other.messages()).contains("Call completed elsewhere");
  }
}
