package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The user agent baresip on a device behind an agent, without a sound card: it sends a tone, and
/// answers calls at once. It learns its public address from the bridge, by STUN.
final class Baresip {
  private static final int CONTROL_PORT = 4444;

  private final NetworkNamespace device;
  private final Path log;
  private final ServiceProcess process;

  private Baresip(NetworkNamespace device, Path log, ServiceProcess process) {
    this.device = device;
    this.log = log;
    this.process = process;
  }

  /// Returns the directory of baresip's modules, or the empty text if it is not installed.
  static String modules() {
    try (Stream<Path> found =
        Files.find(Path.of("/usr/lib"), 4, (path, _) -> path.endsWith("baresip/modules/stun.so"))) {
      return found.findFirst().map(path -> path.getParent().toString()).orElse("");
    } catch (IOException | java.io.UncheckedIOException e) {
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
        ("<sip:%1$s@ims.test>;auth_user=%1$s;auth_pass=%2$s;outbound=\"sip:%3$s:5060\";regint=60;"
                + "answermode=auto;audio_codecs=PCMU;medianat=stun;stunserver=\"stun:%3$s:5060\"\n")
            .formatted(user, password, Topology.CONTROL));
    Files.writeString(home.resolve("contacts"), "");
    ServiceProcess process =
        ServiceProcess.start(
            "baresip-" + user,
            device,
            List.of("baresip", "-4", "-s", "-f", home.toString()),
            directory);
    return new Baresip(device, directory.resolve("baresip-" + user + ".log"), process);
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
  boolean has(String pattern) throws IOException {
    return !found(pattern).isEmpty();
  }

  /// Returns the different texts of its log that match.
  Set<String> found(String pattern) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(log, StandardCharsets.ISO_8859_1))
        .results()
        .map(match -> match.group())
        .collect(Collectors.toSet());
  }

  int stop() throws IOException {
    return process.stop();
  }
}
