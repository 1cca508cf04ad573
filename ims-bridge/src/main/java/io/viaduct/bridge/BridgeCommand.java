package io.viaduct.bridge;

import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.sip.SipEntrance;
import io.viaduct.bridge.snapts.SnaptsServer;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.KeyFile;
import io.viaduct.spring.ServiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
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
  private static final Logger LOG = LoggerFactory.getLogger(BridgeCommand.class);

  public static void main(String[] args) {
    System.exit(
        ProcessCommandLine.start(
                "ims-bridge", "run", BridgeCommand::run, _ -> ExitCode.UNAVAILABLE, args)
            .orElseGet(() -> commandLine().execute(args)));
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
      return run(file);
    }
  }

  private static int run(Path file) throws Exception {
    return new ServiceProcess<>(
            BridgeConfiguration::logging,
            BridgeApplication::of,
            BridgeReload::of,
            BridgeCommand::ready)
        .run(BridgeReload.source(file, InstantSource.system()));
  }

  private static void ready(BridgeConfiguration configuration, ApplicationContext parts) {
    LOG.info(
        "ready: SIP for users of {} on port {}, SNAPTs on port {}, REST on port {}",
        configuration.domain(),
        parts.getBean(SipEntrance.class).port(),
        parts.getBean(SnaptsServer.class).port(),
        parts.getEnvironment().getProperty("local.server.port"));
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
