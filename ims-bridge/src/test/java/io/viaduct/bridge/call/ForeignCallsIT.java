package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipRequest;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Calls of user agents of other projects, baresip, Linphone and sipp, through a real bridge.
/// Skipped where they are missing.
@Timeout(120)
class ForeignCallsIT {
  private static final int CONTROL_PORT = 4444;
  private static final int CALLS = 10;

  @TempDir Path directory;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void stop() {
    processes.forEach(Process::destroyForcibly);
  }

  @Test
  void twoUserAgentsTalkUntilOneHangsUp() throws Exception {
    Path modules = modules();
    assumeThat(modules)
        .as("skipped: baresip is not installed (apt-get install baresip-core)")
        .isNotNull();
    try (BridgeRig rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "")) {
      String network = network();
      Path bob = start("bob", network + "2", rig.bridge.sipPort(), modules, "auto");
      Path alice = start("alice", network + "1", rig.bridge.sipPort(), modules, "auto");
      await().until(() -> rig.bridge.locations().size() == 2);

      command(network + "1", "dial", "sip:bob@ims.test");

      for (Path each : List.of(alice, bob)) {
        await().until(() -> Files.readString(each).contains("incoming rtp for 'audio'"));
      }
      assertThat(rig.registry.get("viaduct_bridge_calls").gauge().value()).isEqualTo(1);
      command(network + "2", "hangup", "");
      await().until(() -> rig.registry.get("viaduct_bridge_calls").gauge().value() == 0);
      assertThat(rig.counter("viaduct_bridge_sip_events", "event", "call_ended")).isEqualTo(1);
      await().until(() -> Files.readString(alice).contains("session closed"));
    }
  }

  @Test
  void aCallIsHeldAndResumedAndItsTransferIsRefused() throws Exception {
    Path modules = modules();
    assumeThat(modules)
        .as("skipped: baresip is not installed (apt-get install baresip-core)")
        .isNotNull();
    try (BridgeRig rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "")) {
      String network = network();
      Path bob = start("bob", network + "2", rig.bridge.sipPort(), modules, "auto");
      start("alice", network + "1", rig.bridge.sipPort(), modules, "auto");
      await().until(() -> rig.bridge.locations().size() == 2);
      command(network + "1", "dial", "sip:bob@ims.test");
      await().until(() -> Files.readString(bob).contains("incoming rtp for 'audio'"));

      command(network + "1", "hold", ""); // a re-INVITE
      await().until(() -> event(rig, "call_request_relayed") >= 1);
      command(network + "1", "resume", "");
      await().until(() -> event(rig, "call_request_relayed") >= 2);
      assertThat(rig.registry.get("viaduct_bridge_calls").gauge().value()).isEqualTo(1);

      command(network + "1", "transfer", "sip:carol@ims.test");
      await()
          .until(
              () -> rig.counter("viaduct_bridge_sip_refused", "reason", "transfer_refused") == 1);
      await().until(() -> event(rig, "call_ended") == 1); // baresip hangs up then
    }
  }

  @Test
  void aCallThatRingsIsGivenUp() throws Exception {
    Path modules = modules();
    assumeThat(modules)
        .as("skipped: baresip is not installed (apt-get install baresip-core)")
        .isNotNull();
    try (BridgeRig rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "")) {
      String network = network();
      Path bob = start("bob", network + "2", rig.bridge.sipPort(), modules, "manual");
      Path alice = start("alice", network + "1", rig.bridge.sipPort(), modules, "auto");
      await().until(() -> rig.bridge.locations().size() == 2);

      command(network + "1", "dial", "sip:bob@ims.test");
      await().until(() -> Files.readString(alice).contains("180 Ringing"));
      command(network + "1", "hangup", "");

      await().until(() -> event(rig, "call_cancelled") == 1);
      await().until(() -> Files.readString(bob).contains("session closed"));
    }
  }

  private static double event(BridgeRig rig, String event) {
    return rig.counter("viaduct_bridge_sip_events", "event", event);
  }

  /// Returns the begin of addresses that nobody else has: each user agent has one, so no port can
  /// be taken.
  private static String network() {
    SplittableRandom random = new SplittableRandom();
    return "127.%d.%d.".formatted(random.nextInt(1, 255), random.nextInt(256));
  }

  @Test
  void linphoneCallsBaresipAndHangsUp() throws Exception {
    assumeThat(isInstalled("linphonec"))
        .as("skipped: Linphone is not installed (apt-get install linphone-cli)")
        .isTrue();
    Path modules = modules();
    assumeThat(modules)
        .as("skipped: baresip is not installed (apt-get install baresip-core)")
        .isNotNull();
    try (BridgeRig rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
        Linphone alice = Linphone.start(directory, "alice", rig.bridge.sipPort())) {
      Path bob = start("bob", network() + "2", rig.bridge.sipPort(), modules, "auto");
      await().until(() -> rig.bridge.locations().size() == 2);

      alice.command("call sip:bob@ims.test");

      await().until(() -> Files.readString(bob).contains("incoming rtp for 'audio'"));
      assertThat(rig.registry.get("viaduct_bridge_calls").gauge().value()).isEqualTo(1);
      alice.command("terminate");
      await().until(() -> rig.registry.get("viaduct_bridge_calls").gauge().value() == 0);
      assertThat(rig.counter("viaduct_bridge_sip_events", "event", "call_ended")).isEqualTo(1);
      assertThat(alice.said()).contains("connected");
    }
  }

  @Test
  void sippCallsAgainAndAgain() throws Exception {
    assumeThat(isInstalled("sipp"))
        .as("skipped: sipp is not installed (apt-get install sip-tester)")
        .isTrue();
    Path scenario = directory.resolve("call.xml");
    try (var in = getClass().getResourceAsStream("sipp-call.xml")) {
      Files.write(scenario, in.readAllBytes());
    }
    Path users = directory.resolve("users.csv");
    Files.writeString(users, "SEQUENTIAL\n[authentication username=alice password=alice-secret]\n");
    try (BridgeRig rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
        Phone bob = new Phone("bob", rig.bridge.sipPort())) {
      bob.register("", 600);
      Path output = directory.resolve("sipp.txt");
      Process sipp =
          start(
              output,
              ("sipp 127.0.0.1:%d -sf %s -inf %s -auth_uri bob@ims.test -i 127.0.0.1 -m %d -l 2 -r 20"
                      + " -nostdin -timeout 40s -timeout_error")
                  .formatted(rig.bridge.sipPort(), scenario, users, CALLS)
                  .split(" "));
      for (int i = 0; i < CALLS; i++) {
        SipRequest invite = bob.request("INVITE");
        bob.answer(invite, 180);
        bob.answer(invite, 200);
        bob.answer(bob.request("BYE"), 200);
      }
      assertThat(sipp.waitFor(40, TimeUnit.SECONDS)).isTrue();
      assertThat(sipp.exitValue()).as(Files.readString(output)).isZero();
      assertThat(rig.counter("viaduct_bridge_sip_events", "event", "call_ended")).isEqualTo(CALLS);
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private Process start(Path output, String... words) throws IOException {
    Process process =
        new ProcessBuilder(words)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output.toFile())
            .start();
    processes.add(process);
    return process;
  }

  /// Starts baresip.
  ///
  /// @param answers baresip's word: auto or manual
  private Path start(String user, String address, int bridgePort, Path modules, String answers)
      throws IOException {
    Path home = Files.createDirectories(directory.resolve("baresip-" + user));
    Files.writeString(
        home.resolve("config"),
        """
        poll_method epoll
        sip_listen %1$s:5070
        net_interface %1$s
        module_path %2$s
        module g711.so
        module ausine.so
        module aubridge.so
        module_tmp uuid.so
        module_tmp account.so
        module_app menu.so
        module_app ctrl_tcp.so
        ctrl_tcp_listen %1$s:%3$d
        ring_aufile none
        audio_source ausine,440
        ausrc_srate 48000
        ausrc_channels 2
        audio_player aubridge,none
        """
            .formatted(address, modules, CONTROL_PORT));
    Files.writeString(
        home.resolve("accounts"),
        ("<sip:%1$s@ims.test>;auth_user=%1$s;auth_pass=%1$s-secret;outbound=\"sip:127.0.0.1:%2$d\";"
                + "regint=60;answermode=%3$s;audio_codecs=PCMU\n")
            .formatted(user, bridgePort, answers));
    Files.writeString(home.resolve("contacts"), "");
    Path output = directory.resolve(user + ".txt");
    start(output, "baresip", "-4", "-s", "-f", home.toString(), "-t", "90");
    return output;
  }

  /// Gives a command of ctrl_tcp: a netstring of JSON.
  private static void command(String address, String name, String argument) throws IOException {
    String json = "{\"command\":\"%s\",\"params\":\"%s\"}".formatted(name, argument);
    try (Socket socket = new Socket(address, CONTROL_PORT)) {
      socket
          .getOutputStream()
          .write((json.length() + ":" + json + ",").getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().read()).isPositive();
    }
  }

  private static Path modules() {
    try (Stream<Path> found =
        Files.find(
            Path.of("/usr/lib"), 4, (path, _) -> path.endsWith("baresip/modules/ausine.so"))) {
      return found.findFirst().map(Path::getParent).orElse(null);
    } catch (IOException | java.io.UncheckedIOException e) {
      return null;
    }
  }
}
