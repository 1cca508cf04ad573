package io.viaduct.cnapt.naming;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Sets the resolvers of the TUN in systemd-resolved (resolvectl(1)), for all domains. The setting
/// disappears with the TUN, even if the agent is killed. Blocking.
final class ResolvedLink {
  private static final String ALL_NAMES = "~.";
  private static final int SECONDS_MAX = 10;

  private final String command;
  private final String device;

  /// @param device name of the TUN
  ResolvedLink(String device) {
    this("resolvectl", device);
  }

  ResolvedLink(String command, String device) {
    this.command = command;
    this.device = device;
  }

  /// Returns true if the host uses systemd-resolved.
  ///
  /// @param resolvConf the host's resolv.conf
  static boolean servesThisHost(Path resolvConf) {
    List<InetSocketAddress> servers = NameServers.of(resolvConf);
    return !servers.isEmpty() && servers.stream().allMatch(NameServers::isStub);
  }

  /// Sets the resolvers of the TUN.
  ///
  /// @throws IOException if systemd-resolved refuses; the message has its answer
  void set(List<String> addresses) throws IOException {
    List<String> dns = new ArrayList<>(List.of("dns", device));
    dns.addAll(addresses);
    run(dns);
    run(List.of("domain", device, ALL_NAMES));
  }

  void revert() throws IOException {
    run(List.of("revert", device));
  }

  private void run(List<String> words) throws IOException {
    List<String> line = new ArrayList<>(List.of(command));
    line.addAll(words);
    Process process;
    try {
      process = new ProcessBuilder(line).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException(
          "dns: 'resolvectl' must be installed where systemd-resolved serves the host: "
              + e.getMessage(),
          e);
    }
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    try {
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("dns: resolvectl has not ended within " + SECONDS_MAX + " s");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new IOException("interrupted while resolvectl ran");
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "dns: '%s' refused: %s"
              .formatted(String.join(" ", line), output.replaceAll("\\s+", " ")));
    }
  }
}
