package io.viaduct.testbed.call;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The user agent baresip on a device behind an agent, without a sound card: it sends a tone, and
/// answers calls at once. It learns its public address from the bridge, by STUN.
public final class Baresip {
  private static final int CONTROL_PORT = 4444;

  private final NetworkNamespace device;
  private final ServiceProcess process;

  private Baresip(NetworkNamespace device, ServiceProcess process) {
    this.device = device;
    this.process = process;
  }

  /// Returns true if baresip is installed.
  public static boolean isInstalled() {
    return !modules().isEmpty();
  }

  private static String modules() {
    try (Stream<Path> found =
        Files.find(Path.of("/usr/lib"), 3, (path, _) -> path.endsWith("baresip/modules"))) {
      return found.findFirst().map(Path::toString).orElse("");
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  /// Starts it.
  ///
  /// @param address of the device in the tunnel
  static Baresip start(
      NetworkNamespace device, Path directory, String user, String password, String address)
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
        module stun.so
        module_tmp uuid.so
        module_tmp account.so
        module_app menu.so
        module_app ctrl_tcp.so
        ctrl_tcp_listen 127.0.0.1:%3$d
        ring_aufile none
        audio_source ausine,440
        ausrc_srate 48000
        ausrc_channels 2
        audio_player aubridge,none
        """
            .formatted(address, modules(), CONTROL_PORT));
    Files.writeString(
        home.resolve("accounts"),
        ("<sip:%1$s@%2$s>;auth_user=%1$s;auth_pass=%3$s;outbound=\"sip:%4$s:%5$d\";regint=60;"
                + "answermode=auto;audio_codecs=PCMU;medianat=stun;stunserver=\"stun:%4$s:%5$d\"\n")
            .formatted(user, Plans.DOMAIN, password, Topology.CONTROL, Plans.SIP_PORT));
    Files.writeString(home.resolve("contacts"), "");
    return new Baresip(
        device,
        ServiceProcess.start(
            "baresip-" + user,
            device,
            List.of("baresip", "-4", "-s", "-f", home.toString()),
            directory));
  }

  /// Gives a command of ctrl_tcp: a netstring of JSON.
  void command(String name, String argument) {
    String json = "{\"command\":\"%s\",\"params\":\"%s\"}".formatted(name, argument);
    device.call(() -> {
      try (Socket socket = new Socket("127.0.0.1", CONTROL_PORT)) {
        socket
            .getOutputStream()
            .write((json.length() + ":" + json + ",").getBytes(StandardCharsets.UTF_8));
        return socket.getInputStream().read();
      }
    });
  }

  /// Returns whether its log has a line that matches.
  boolean has(String pattern) {
    return !found(pattern).isEmpty();
  }

  /// Returns the different texts of its log that match.
  Set<String> found(String pattern) {
    return Pattern.compile(pattern)
        .matcher(lastLines(Integer.MAX_VALUE))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toSet());
  }

  String lastLines(int lines) {
    return process.lastLines(lines);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void stop() {
    var unused = process.stop();
  }
}
