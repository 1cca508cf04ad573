package io.viaduct.bridge;

import io.viaduct.bridge.rest.RestInterface;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The process `ims-bridge`. Exit codes: 0 ended as told, 64 wrong usage, 69 a socket or file could
/// not be had, 78 the configuration is not valid.
@Command(
    name = "ims-bridge",
    description = "SIP registrar, session tokens, SNAPT directory, report ingest",
    mixinStandardHelpOptions = true,
    subcommands = {BridgeCommand.Run.class, BridgeCommand.Check.class, BridgeCommand.Keygen.class})
public final class BridgeCommand {
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return ProcessCommandLine.of(new BridgeCommand(), _ -> ExitCode.UNAVAILABLE);
  }

  /// Runs until SIGTERM.
  @Command(name = "run", description = "run until told to end")
  static final class Run implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "configuration file")
    Path file = Path.of("");

    @Override
    public Integer call() throws Exception {
      BridgeConfiguration configuration = ConfigurationFile.load(file, BridgeConfiguration.class);
      CertificateCheck.of(configuration.tls(), Instant.now());
      ProcessLogging.configure(configuration.logging());
      return serve(configuration);
    }

    private static int serve(BridgeConfiguration configuration) throws Exception {
      Logger log = LoggerFactory.getLogger(BridgeCommand.class);
      InstantSource clock = InstantSource.system();
      Readiness readiness = new Readiness("sip", "rest", "users");
      CountDownLatch told = new CountDownLatch(1);
      CountDownLatch ended = new CountDownLatch(1);
      try (ProcessMetrics metrics = new ProcessMetrics("ims-bridge", BridgeCommand.class);
          OperationsEndpoint operations = new OperationsEndpoint(metrics, readiness)) {
        operations.listen(configuration.operations());
        try (Bridge bridge = Bridge.start(configuration, clock, metrics.registry(), readiness)) {
          readiness.cleared("sip");
          bridge.subscribers().onLoaded(() -> readiness.cleared("users"));
          try (var rest =
              RestInterface.start(configuration.rest(), bridge, clock, metrics.registry())) {
            readiness.cleared("rest");
            log.info(
                "ready; REST on port {}", rest.getEnvironment().getProperty("local.server.port"));
            Runtime.getRuntime().addShutdownHook(hook(told, ended));
            told.await();
            readiness.obstructed("sip", "stopping");
            log.info("stopping");
          }
        }
      } finally {
        ended.countDown();
      }
      return 0;
    }

    /// Makes SIGTERM end [#serve] in order; then the process ends with 0, which the JVM would turn
    /// into 143.
    private static Thread hook(CountDownLatch told, CountDownLatch ended) {
      return new Thread(
          () -> {
            told.countDown();
            try {
              ended.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(0);
          },
          "sigterm");
    }
  }

  /// Validates and shows.
  @Command(name = "check", description = "validate the configuration and print it, secrets masked")
  static final class Check implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "configuration file")
    Path file = Path.of("");

    @Spec @Nullable CommandSpec spec;

    @Override
    public Integer call() {
      BridgeConfiguration configuration = ConfigurationFile.load(file, BridgeConfiguration.class);
      CertificateCheck.of(configuration.tls(), Instant.now());
      Ed25519.readPair(configuration.token().signingKey());
      print(spec, EffectiveConfiguration.of(configuration).stripTrailing());
      return 0;
    }
  }

  /// Makes a signing key.
  @Command(name = "keygen", description = "write a new token signing key; prints its public key")
  static final class Keygen implements Callable<Integer> {
    @Parameters(index = "0", description = "PEM file to write; must not exist")
    Path file = Path.of("");

    @Spec @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
      var pair = Ed25519.generate();
      try {
        Ed25519.writePrivate(file, pair.getPrivate());
      } catch (FileAlreadyExistsException e) {
        throw new IOException(
            file + " exists already and may be in use: choose another name or move it away", e);
      }
      print(
          spec,
          Base64.getEncoder()
              .encodeToString(
                  Ed25519.raw((java.security.interfaces.EdECPublicKey) pair.getPublic())));
      return 0;
    }
  }

  private static void print(@Nullable CommandSpec spec, String text) {
    if (spec == null) {
      throw new IllegalStateException("picocli has not set the command");
    }
    spec.commandLine().getOut().println(text);
    spec.commandLine().getOut().flush();
  }
}
