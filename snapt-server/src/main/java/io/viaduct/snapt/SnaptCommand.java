package io.viaduct.snapt;

import io.viaduct.host.linux.SystemCalls;
import io.viaduct.host.tun.TunException;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.attribution.AttributionQuery;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
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

/// The command `snapt`. Exit codes of sysexits.h: 0 done, 64 usage, 69 unavailable, 77 permission,
/// 78 configuration.
@Command(
    name = "snapt",
    mixinStandardHelpOptions = true,
    description = "The relay: carries sessions to the Internet, and reports what they used.")
public final class SnaptCommand {
  /// As `SnaptConfiguration.yml` has it.
  static final Path DEFAULT_SOCKET = Path.of("/run/viaduct/snapt.sock");

  private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(5);

  // State and sockets hold accounts, charging identifiers and addresses of devices.
  private static final int PRIVATE_UMASK = 0077;

  @Spec private @Nullable CommandSpec spec;

  /// The process.
  public static void main(String[] arguments) {
    int code = run(arguments);
    if (code != ExitCode.OK) {
      System.exit(code);
    }
  }

  /// Runs one command line.
  ///
  /// @return the exit code
  static int run(String... arguments) {
    return ProcessCommandLine.of(new SnaptCommand(), SnaptCommand::codeOf).execute(arguments);
  }

  private static int codeOf(Exception failure) {
    return failure instanceof TunException tun && tun.reason() == TunException.Reason.NO_PERMISSION
        ? ExitCode.PERMISSION
        : ExitCode.UNAVAILABLE;
  }

  @Command(
      description = "Serves until it is told to stop (SIGTERM).",
      mixinStandardHelpOptions = true)
  int run(@Option(names = "--config", required = true, paramLabel = "FILE") Path file)
      throws IOException, InterruptedException {
    SnaptConfiguration configuration = ConfigurationFile.load(file, SnaptConfiguration.class);
    examine(configuration);
    ProcessLogging.configure(configuration.logging());
    new SystemCalls().umask(PRIVATE_UMASK);
    CountDownLatch stopped = new CountDownLatch(1);
    Snapt snapt = new Snapt(configuration);
    // The JVM would end with 143 after its hooks; a stop that lost nothing is a success.
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
    stopped.await();
    return ExitCode.OK;
  }

  @Command(
      description =
          "Checks a configuration and the files it names, and prints it with every default.",
      mixinStandardHelpOptions = true)
  int check(@Option(names = "--config", required = true, paramLabel = "FILE") Path file) {
    SnaptConfiguration configuration = ConfigurationFile.load(file, SnaptConfiguration.class);
    examine(configuration);
    print(EffectiveConfiguration.of(configuration));
    return ExitCode.OK;
  }

  @Command(
      description = "Shows sessions, rates and refusals of a running SNAPT.",
      mixinStandardHelpOptions = true)
  int status(
      @Option(names = "--json", description = "the whole document") boolean json,
      @Option(names = "--config", paramLabel = "FILE") @Nullable Path file,
      @Option(names = "--socket", paramLabel = "SOCKET") @Nullable Path socket)
      throws UnavailableException {
    if (file != null && socket != null) {
      throw new CommandLine.ParameterException(
          line(), "give --config FILE or --socket SOCKET, not both");
    }
    String document = OperationsClient.status(asked(file, socket), STATUS_TIMEOUT);
    print(json ? document + "\n" : StatusText.of(document));
    return ExitCode.OK;
  }

  @Command(
      description =
          "Makes a report key: an Ed25519 PEM file; prints the public key for the bridge.",
      mixinStandardHelpOptions = true)
  int keygen(@Parameters(paramLabel = "FILE") Path file) throws IOException {
    KeyPair pair = Ed25519.generate();
    try {
      Ed25519.writePrivate(file, pair.getPrivate());
    } catch (FileAlreadyExistsException _) {
      throw new IOException(
          file + ": exists; reports signed with it may still wait: choose another name");
    }
    print(Base64.getEncoder().encodeToString(Ed25519.raw((EdECPublicKey) pair.getPublic())) + "\n");
    return ExitCode.OK;
  }

  @Command(
      description = "Tells who had a public address and port at a time (RFC 3339).",
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
    Path folder =
        ConfigurationFile.load(file, SnaptConfiguration.class).state().resolve(Snapt.ATTRIBUTION);
    var holders = AttributionQuery.who(folder, asked, port, atMs);
    if (holders.isEmpty()) {
      throw new IOException(
          "nobody had %s port %d at %s, or its records are gone (attribution.retention)"
              .formatted(address, port, time));
    }
    holders.forEach(holder -> print(holder + "\n"));
    return ExitCode.OK;
  }

  private static Path asked(@Nullable Path file, @Nullable Path socket) {
    if (socket != null) {
      return socket;
    }
    return file == null
        ? DEFAULT_SOCKET
        : ConfigurationFile.load(file, SnaptConfiguration.class).socket();
  }

  // What would make every device or the bridge turn this SNAPT away is refused before it starts.
  private static void examine(SnaptConfiguration configuration) {
    CertificateCheck.of(configuration.tls(), Instant.now())
        .commonName("id", configuration.id())
        .host("control.host", configuration.control().host());
    Ed25519.readPair(configuration.reporting().reportKey());
  }

  private CommandLine line() {
    if (spec == null) {
      throw new IllegalStateException("picocli gives the specification before it runs a command");
    }
    return spec.commandLine();
  }

  private void print(String text) {
    PrintWriter out = line().getOut();
    out.print(text);
    out.flush();
  }
}
