package io.viaduct.bridge.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.HostPort;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A small IMS core: Kamailio as S-CSCF with the configuration of docker/kamailio, and its HSS.
/// Each server has an address of its own in a network of 127.0.0.0/8, so no port can be taken: the
/// S-CSCF has the address 2, the HSS 4, and a user agent may have 3.
public final class KamailioCore implements AutoCloseable {
  private static final Path CONFIGURATION =
      Path.of(System.getProperty("viaduct.root"), "docker", "kamailio");

  private static final Path PROGRAM = Path.of("/usr/sbin/kamailio");

  /// Debian's folder; the variable names others, separated by colons.
  private static final String MODULES =
      System.getenv()
          .getOrDefault("VIADUCT_KAMAILIO_MODULES", "/usr/lib/x86_64-linux-gnu/kamailio/modules");

  private final Path output;
  private final Hss hss;
  private final Process process;

  private KamailioCore(Path directory, String network, Hss hss) throws IOException {
    this.hss = hss;
    output = directory.resolve("kamailio.txt");
    process = process(Files.createDirectories(directory.resolve("kamailio")), network, output);
  }

  /// Skips the test if Kamailio or one of its modules is missing.
  public static void assumeInstalled() {
    boolean found =
        Files.isExecutable(PROGRAM)
            && Stream.of("ims_isc.so", "presence.so", "htable.so")
                .allMatch(name ->
                    Stream.of(MODULES.split(":"))
                        .anyMatch(folder -> Files.isRegularFile(Path.of(folder, name))));
    assumeThat(found)
        .as(
            "skipped: Kamailio is not installed (apt-get install kamailio kamailio-ims-modules"
                + " kamailio-presence-modules)")
        .isTrue();
  }

  /// Returns the first three numbers of the addresses of a core, and the last point.
  public static String network() {
    SplittableRandom random = new SplittableRandom();
    return "127.%d.%d.".formatted(random.nextInt(1, 255), random.nextInt(256));
  }

  /// Returns the address to which the users of the core send.
  public static HostPort address(String network) {
    return new HostPort(network + "2", 5060);
  }

  /// Starts the core, and waits until the S-CSCF has spoken to the HSS.
  ///
  /// @param directory for its files
  /// @param applicationServer SIP URI of the bridge, at 127.0.0.1
  public static KamailioCore start(
      Path directory, String network, String realm, String applicationServer) throws IOException {
    Hss hss = new Hss(network + "4", realm, applicationServer);
    KamailioCore core = new KamailioCore(directory, network, hss);
    await()
        .atMost(Duration.ofSeconds(45))
        .untilAsserted(() -> assertThat(hss.answered).as(core::log).isNotEmpty());
    return core;
  }

  private static Process process(Path run, String network, Path output) throws IOException {
    Path diameter = run.resolve("scscf-cdp.xml");
    Files.writeString(
        diameter,
        Files.readString(CONFIGURATION.resolve("scscf-cdp.xml"))
            .replace("localhost", network + "4")
            .replace("127.0.0.1", network + "2"));
    return new ProcessBuilder(
            PROGRAM.toString(),
            "-L",
            MODULES,
            "-f",
            CONFIGURATION.resolve("scscf.cfg").toString(),
            "-DD",
            "-E",
            "-m",
            "64",
            "-M",
            "8",
            "-Y",
            run.toString(),
            "-A",
            "LISTEN=udp:" + network + "2:5060",
            "-A",
            "HSS=\"" + network + "4\"",
            "-A",
            "CDP_XML=\"" + diameter + "\"")
        .redirectErrorStream(true)
        .redirectInput(new File("/dev/null"))
        .redirectOutput(output.toFile())
        .start();
  }

  /// Returns what Kamailio has printed.
  public String log() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() throws IOException {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
    children.forEach(ProcessHandle::destroyForcibly);
    hss.close();
  }
}
