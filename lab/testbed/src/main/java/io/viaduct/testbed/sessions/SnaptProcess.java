package io.viaduct.testbed.sessions;

import io.viaduct.service.tls.TlsSettings;
import io.viaduct.testbed.pki.ReportKey;
import io.viaduct.testbed.pki.RunAuthority;
import io.viaduct.testbed.process.HttpProbe;
import io.viaduct.testbed.process.Jcmd;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A SNAPT as in production, alone in a namespace. Its bridge does not answer, so its reports wait
/// on disk. Packets to the Internet end behind the TUN device, where they are counted.
final class SnaptProcess implements AutoCloseable {
  static final String ADDRESS = "127.0.0.1";
  static final int CONTROL_PORT = 4433;

  /// One loop per processor.
  static final int LOOPS = 0;

  private static final String READY = "http://127.0.0.1:9464/readyz";
  private static final long PATIENCE_NS = 120_000_000_000L;
  private static final Pattern MALLOC = Pattern.compile("malloc: (\\d+)");
  // Memory that the compilers use for a moment, and memory that they have just returned to the JVM.
  private static final Pattern SCRATCH =
      Pattern.compile("(?:Compiler|Arena Chunk) \\(reserved=\\d+, committed=(\\d+)");

  private final ServiceProcess process;

  private SnaptProcess(ServiceProcess process) {
    this.process = process;
  }

  /// Starts the process and waits until it is ready.
  ///
  /// @param directory private to this run
  /// @param sessionsMax most sessions that it must accept
  /// @param loops of data, [#LOOPS] for its own choice
  static SnaptProcess start(
      Path root,
      Path directory,
      NetworkNamespace namespace,
      int sessionsMax,
      int loops,
      TokenIssuer issuer,
      LongSupplier nanoTime)
      throws Exception {
    TlsSettings tls = new RunAuthority(directory, InstantSource.system()).issue("snapt-1", ADDRESS);
    ReportKey reportKey = ReportKey.generate(directory.resolve("report.key"));
    Path state = directory.resolve("state");
    issuer.vouchTo(state);
    Path file = directory.resolve("snapt.yml");
    Files.writeString(file, configuration(tls, reportKey, state, sessionsMax, loops));
    ServiceProcess process =
        ServiceProcess.start("snapt", namespace, command(root, directory, file), directory);
    var snapt = new SnaptProcess(process);
    snapt.awaitReady(nanoTime);
    return snapt;
  }

  private static String configuration(
      TlsSettings tls, ReportKey reportKey, Path state, int sessionsMax, int loops) {
    return """
    id: snapt-1
    state: %1$s
    socket: %1$s/snapt.sock
    tls: {certificate: %2$s, private-key: %3$s, trust: %4$s}
    control: {host: %5$s, port: %6$d, connections-per-address-max: 20000, handshake-timeout: 60s}
    data: {listen: %5$s, port: %6$d, loops: %10$d}
    sessions: {max: %7$d}
    egress: {masquerade: off, allow: ["%9$s"]}
    reporting: {bridge-host: 192.0.2.1, bridge-port: 7443, report-key: %8$s, spool-reports-max: 10000000}
    """
        .formatted(
            state,
            tls.certificate(),
            tls.privateKey(),
            tls.trust(),
            ADDRESS,
            CONTROL_PORT,
            sessionsMax,
            reportKey.file(),
            Packets.NOWHERE,
            loops);
  }

  private static List<String> command(Path root, Path directory, Path configuration) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        "-XX:NativeMemoryTracking=summary",
        "-Xmx1g",
        "-Djava.io.tmpdir=" + directory,
        "-jar",
        root.resolve("snapt-server/target/snapt-server-0.1.0.jar").toString(),
        "run",
        "--config",
        configuration.toString());
  }

  private void awaitReady(LongSupplier nanoTime) {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    while (HttpProbe.status(READY) != 200) {
      if (!process.isAlive() || nanoTime.getAsLong() - endNs > 0) {
        throw new IllegalStateException("the SNAPT is not ready:\n" + process.lastLines(25));
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  long id() {
    return process.id();
  }

  /// Measures its memory: objects after a collection, and memory of native code.
  Memory memory() throws IOException {
    Jcmd jcmd = new Jcmd(process.id());
    long live = jcmd.liveBytes();
    String nativeMemory = jcmd.run("VM.native_memory", "summary", "scale=b");
    long scratch =
        SCRATCH.matcher(nativeMemory).results().mapToLong(of -> Long.parseLong(of.group(1))).sum();
    return new Memory(live, number(MALLOC, nativeMemory) - scratch);
  }

  /// Bytes of memory.
  ///
  /// @param heap bytes of live objects
  /// @param allocated bytes by malloc(3): direct buffers, native key schedules, and the JVM's own
  ///   without the temporary memory of its compilers
  record Memory(long heap, long allocated) {}

  /// Returns the classes with the most bytes, to show the composition of a session.
  String histogram(int lines) throws IOException {
    return String.join(
        "\n",
        new Jcmd(process.id())
            .run("GC.class_histogram")
            .lines()
            .skip(1)
            .limit(lines + 2L)
            .toList());
  }

  private static long number(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "jcmd did not say %s: %s", pattern, text));
    }
    return Long.parseLong(found.group(1));
  }

  @Override
  public void close() {
    process.kill();
  }
}
