package io.viaduct.bridge.call;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;

/// The user agent Linphone without screen and sound card (Debian's linphone-cli): it plays a file
/// into its calls. It knows the bridge as its outbound proxy, and has a home of its own.
final class Linphone implements AutoCloseable {
  private static final int SAMPLES_PER_SECOND = 8_000;
  private static final int SECONDS = 10;
  private static final double TONE_HZ = 440;

  private final Process process;
  private final Path output;

  private Linphone(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /// Starts it; it registers, by digest with the best algorithm that it knows.
  static Linphone start(Path directory, String user, int bridgePort) throws IOException {
    Path home = Files.createDirectories(directory.resolve("linphone-" + user));
    Files.createDirectories(home.resolve(".local/share/linphone"));
    Files.createDirectories(home.resolve(".config/linphone"));
    tone(home.resolve("tone.wav"));
    Path settings = home.resolve("rc");
    Files.writeString(
        settings,
        """
        [sip]
        sip_port=%3$d
        sip_tcp_port=0
        sip_tls_port=0
        default_proxy=0
        register_only_when_network_is_up=0
        guess_hostname=0
        auto_net_state_mon=0
        use_ipv6=0
        store_ha1_passwd=0

        [auth_info_0]
        username=%1$s
        userid=%1$s
        passwd=%1$s-secret
        realm=ims.test

        [proxy_0]
        reg_proxy=<sip:127.0.0.1:%2$d;transport=udp>
        reg_route=<sip:127.0.0.1:%2$d;transport=udp;lr>
        reg_identity=sip:%1$s@ims.test
        reg_expires=600
        reg_sendregister=1
        publish=0
        """
            .formatted(user, bridgePort, freeUdpPort()));
    Path output = directory.resolve("linphone-" + user + ".txt");
    ProcessBuilder linphone =
        new ProcessBuilder("linphonec", "-c", settings.toString())
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    linphone.environment().put("HOME", home.toString());
    Linphone started = new Linphone(linphone.start(), output);
    started.command("soundcard use files");
    started.command("play " + home.resolve("tone.wav"));
    return started;
  }

  private static int freeUdpPort() throws IOException {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return socket.getLocalPort();
    }
  }

  private static void tone(Path file) throws IOException {
    byte[] samples = new byte[2 * SAMPLES_PER_SECOND * SECONDS];
    for (int i = 0; i < samples.length / 2; i++) {
      int value = (int) (8_000 * Math.sin(2 * Math.PI * TONE_HZ * i / SAMPLES_PER_SECOND));
      samples[2 * i] = (byte) value;
      samples[2 * i + 1] = (byte) (value >> 8);
    }
    AudioFormat format = new AudioFormat(SAMPLES_PER_SECOND, 16, 1, true, false);
    try (AudioInputStream audio =
        new AudioInputStream(new ByteArrayInputStream(samples), format, samples.length / 2)) {
      AudioSystem.write(audio, AudioFileFormat.Type.WAVE, file.toFile());
    }
  }

  /// Gives a command, as a person would type it.
  void command(String words) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write((words + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  /// Returns what it has printed.
  String said() throws IOException {
    return Files.readString(output);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
