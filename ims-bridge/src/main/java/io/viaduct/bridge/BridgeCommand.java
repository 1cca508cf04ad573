package io.viaduct.bridge;

import io.viaduct.bridge.rest.RestInterface;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.HangUp;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.KeyFile;
import java.io.IOException;
import java.nio.file.Path;
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

/// The process `ims-bridge`. Exit codes: 0 stopped by SIGTERM, 64 wrong usage, 69 a socket or file
/// is not available, 78 the configuration is not valid.
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
  @Command(name = "run", description = "run until SIGTERM")
  static final class Run implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "configuration file")
    Path file = Path.of("");

    @Override
    public Integer call() throws Exception {
      HangUp hangUp = HangUp.listen();
      InstantSource clock = InstantSource.system();
      ConfigurationSource<BridgeConfiguration> source = BridgeReload.source(file, clock);
      BridgeConfiguration configuration = source.load();
      ConfigurationKeys running = ConfigurationKeys.of(configuration);
      ProcessLogging.configure(configuration.logging());
      return serve(source, configuration, running, hangUp, clock);
    }

    private static int serve(
        ConfigurationSource<BridgeConfiguration> source,
        BridgeConfiguration configuration,
        ConfigurationKeys running,
        HangUp hangUp,
        InstantSource clock)
        throws Exception {
      Logger log = LoggerFactory.getLogger(BridgeCommand.class);
      Readiness readiness = new Readiness("sip", "rest", "users");
      CountDownLatch stopRequested = new CountDownLatch(1);
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
            Runtime.getRuntime().addShutdownHook(hook(stopRequested, ended));
            ConfigurationReload<BridgeConfiguration> reload =
                new ConfigurationReload<>(
                    source, running, BridgeReload.parts(bridge, clock), metrics.registry(), clock);
            hangUp.then(reload::reload);
            stopRequested.await();
            readiness.obstructed("sip", "stopping");
            log.info("stopping");
          }
        }
      } finally {
        ended.countDown();
      }
      return 0;
    }

    /// Returns a shutdown hook: at SIGTERM it waits until [#serve] has stopped all parts, and then
    /// ends the process with 0. The JVM's own exit code would be 143.
    private static Thread hook(CountDownLatch stopRequested, CountDownLatch ended) {
      return new Thread(
          () -> {
            stopRequested.countDown();
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

  /// Validates the configuration and prints it.
  @Command(name = "check", description = "validate the configuration and print it, secrets masked")
  static final class Check implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "configuration file")
    Path file = Path.of("");

    @Spec @Nullable CommandSpec spec;

    @Override
    public Integer call() {
      print(spec, BridgeReload.source(file, InstantSource.system()).effective().stripTrailing());
      return 0;
    }
  }

  /// Makes a token signing key.
  @Command(
      name = "keygen",
      description = "write a new token signing key; prints its public key and its id")
  static final class Keygen implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "PEM file to write; must not exist")
    Path file = Path.of("");

    @Spec @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
      byte[] key = KeyFile.make(file);
      print(
          spec,
          "accepted-keys: [\"%s\"] # of token; logs show key %s"
              .formatted(Base64.getEncoder().encodeToString(key), Ed25519.id(key)));
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
