package io.viaduct.snapt;

import io.viaduct.host.linux.SystemCalls;
import io.viaduct.host.tun.TunException;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import io.viaduct.service.reload.KeptSignal;
import io.viaduct.service.tls.KeyFile;
import io.viaduct.snapt.attribution.AttributionQuery;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The command `snapt`. The exit codes are those of sysexits.h: 0 success, 64 usage, 69
/// unavailable, 77 permission, 78 configuration.
@Command(
    name = "snapt",
    mixinStandardHelpOptions = true,
    description = "The relay: carries sessions to the Internet, and reports what they used.")
public final class SnaptCommand {
  /// The default of `socket` in `SnaptConfiguration.yml`.
  static final Path DEFAULT_SOCKET = Path.of("/run/viaduct/snapt.sock");

  private static final Duration ENROLMENT_WAIT = Duration.ofMinutes(15);
  private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(5);

  // The state files and sockets expose accounts, charging identifiers and addresses of devices.
  private static final int PRIVATE_UMASK = 0077;

  @Spec private @Nullable CommandSpec spec;

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    int code = run(arguments);
    if (code != ExitCode.OK) {
      System.exit(code);
    }
  }

  /// Runs a command line.
  ///
  /// @return the exit code
  public static int run(String... arguments) {
    return ProcessCommandLine.of(new SnaptCommand(), SnaptCommand::codeOf).execute(arguments);
  }

  private static int codeOf(Exception failure) {
    return failure instanceof TunException tun && tun.reason() == TunException.Reason.NO_PERMISSION
        ? ExitCode.PERMISSION
        : ExitCode.UNAVAILABLE;
  }

  @Command(description = "Carries sessions until SIGTERM.", mixinStandardHelpOptions = true)
  int run(@Option(names = "--config", required = true, paramLabel = "FILE") Path file)
      throws IOException, InterruptedException {
    KeptSignal hangUp = KeptSignal.listen("HUP");
    KeptSignal drain = KeptSignal.listen(Drains.SIGNAL);
    ConfigurationSource<SnaptConfiguration> source = source(file);
    SnaptConfiguration configuration = source.load();
    ConfigurationKeys running = ConfigurationKeys.of(configuration);
    ProcessLogging.configure(configuration.logging());
    new SystemCalls().umask(PRIVATE_UMASK);
    CountDownLatch stopped = new CountDownLatch(1);
    Snapt snapt = new Snapt(configuration);
    // After the hooks, the JVM would exit with 143 (SIGTERM). A clean stop must exit with 0.
    Thread hook =
        new Thread(
            () -> {
              snapt.close();
              stopped.countDown();
              Runtime.getRuntime().halt(ExitCode.OK);
            },
            "stop");
    try {
      snapt.start();
    } catch (IOException | RuntimeException e) {
      snapt.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(hook);
    hangUp.then(snapt.reload(source, running)::reload);
    drain.then(snapt.drains()::onSignal);
    stopped.await();
    return ExitCode.OK;
  }

  @Command(
      description =
          "Checks a configuration and the files it names, and prints it with every default.",
      mixinStandardHelpOptions = true)
  int check(@Option(names = "--config", required = true, paramLabel = "FILE") Path file) {
    ConfigurationSource<SnaptConfiguration> source = source(file);
    print(source.effective());
    Renewal.warning(source.read(), InstantSource.system().instant()).ifPresent(this::warn);
    return ExitCode.OK;
  }

  @Command(
      description = "Shows sessions, rates and refusals of a running SNAPT.",
      mixinStandardHelpOptions = true)
  int status(
      @Option(names = "--json", description = "print the JSON document") boolean json,
      @Option(names = "--config", paramLabel = "FILE") @Nullable Path file,
      @Option(names = "--socket", paramLabel = "SOCKET") @Nullable Path socket)
      throws UnavailableException {
    requireOneOf(file, socket);
    String document = OperationsClient.status(asked(file, socket), STATUS_TIMEOUT);
    print(json ? document + "\n" : StatusText.of(document));
    return ExitCode.OK;
  }

  @Command(
      description =
          "Lets a running SNAPT drain: it serves its sessions, refuses new ones, and devices go elsewhere.",
      mixinStandardHelpOptions = true)
  int drain(
      @Option(
              names = "--deadline",
              paramLabel = "TIME",
              converter = DeadlineOption.class,
              description = "time after which the sessions end that are left: 3600, 60s, 5m or 1h")
          @Nullable Duration deadline,
      @Option(names = "--config", paramLabel = "FILE") @Nullable Path file,
      @Option(names = "--socket", paramLabel = "SOCKET") @Nullable Path socket)
      throws UnavailableException {
    String query = deadline == null ? "" : "?%s=%d".formatted(Drains.DEADLINE, deadline.toMillis());
    return act(Drains.DRAIN + query, file, socket);
  }

  @Command(
      description = "Ends a drain: the SNAPT takes new sessions again.",
      mixinStandardHelpOptions = true)
  int undrain(
      @Option(names = "--config", paramLabel = "FILE") @Nullable Path file,
      @Option(names = "--socket", paramLabel = "SOCKET") @Nullable Path socket)
      throws UnavailableException {
    return act(Drains.UNDRAIN, file, socket);
  }

  private int act(String path, @Nullable Path file, @Nullable Path socket)
      throws UnavailableException {
    requireOneOf(file, socket);
    print(OperationsClient.act(asked(file, socket), path, STATUS_TIMEOUT));
    return ExitCode.OK;
  }

  private void requireOneOf(@Nullable Path file, @Nullable Path socket) {
    if (file != null && socket != null) {
      throw new CommandLine.ParameterException(
          line(), "give --config FILE or --socket SOCKET, not both");
    }
  }

  @Command(
      description = "Makes a report key: an Ed25519 PEM file; prints the line for billing.",
      mixinStandardHelpOptions = true)
  int keygen(@Parameters(paramLabel = "FILE") Path file) throws IOException {
    byte[] key = KeyFile.make(file);
    print(
        "report-key: \"%s\" # of this SNAPT, for 'denarii snapts enrol' or billing's list snapts%n"
            .formatted(Base64.getEncoder().encodeToString(key)));
    return ExitCode.OK;
  }

  @Command(
      description =
          "Enrols this SNAPT by a code of your operator: hands in its keys, and waits for its"
              + " certificate.",
      mixinStandardHelpOptions = true)
  int enrol(
      @Option(names = "--config", required = true, paramLabel = "FILE") Path file,
      @Option(names = "--code", required = true, paramLabel = "CODE") String code,
      @Option(
              names = "--wait",
              paramLabel = "TIME",
              converter = DeadlineOption.class,
              description = "longest wait for the operator (default: 15m)")
          @Nullable Duration patience)
      throws IOException, InterruptedException {
    InstantSource clock = InstantSource.system();
    new Enrolment(source(file).read(), clock, line -> print(line + "\n"))
        .run(code, patience == null ? ENROLMENT_WAIT : patience);
    return ExitCode.OK;
  }

  @Command(
      description = "Shows the session that had a public address and port at a time (RFC 3339).",
      mixinStandardHelpOptions = true)
  int who(
      @Option(names = "--config", required = true, paramLabel = "FILE") Path file,
      @Parameters(paramLabel = "ADDRESS") String address,
      @Parameters(paramLabel = "PORT") int port,
      @Parameters(paramLabel = "TIME") String time)
      throws IOException {
    InetAddress asked;
    long atMs;
    try {
      asked = InetAddress.ofLiteral(address);
      atMs = Instant.parse(time).toEpochMilli();
    } catch (IllegalArgumentException | DateTimeParseException _) {
      throw new CommandLine.ParameterException(
          line(),
          "ADDRESS must be numeric and TIME like 2026-11-23T20:15:00Z, got '%s' and '%s'"
              .formatted(address, time));
    }
    Path folder = source(file).read().state().resolve(Snapt.ATTRIBUTION);
    var holders = AttributionQuery.who(folder, asked, port, atMs);
    if (holders.isEmpty()) {
      throw new IOException(
          "no session had %s port %d at %s, or its records are deleted (attribution.retention)"
              .formatted(address, port, time));
    }
    holders.forEach(holder -> print(holder + "\n"));
    return ExitCode.OK;
  }

  private static Path asked(@Nullable Path file, @Nullable Path socket) {
    if (socket != null) {
      return socket;
    }
    return file == null ? DEFAULT_SOCKET : source(file).read().socket();
  }

  private static ConfigurationSource<SnaptConfiguration> source(Path file) {
    return SnaptReload.source(file, InstantSource.system());
  }

  private CommandLine line() {
    if (spec == null) {
      throw new IllegalStateException("picocli gives the specification before it runs a command");
    }
    return spec.commandLine();
  }

  private void warn(String text) {
    PrintWriter err = line().getErr();
    err.println(text);
    err.flush();
  }

  private void print(String text) {
    PrintWriter out = line().getOut();
    out.print(text);
    out.flush();
  }
}
