package io.viaduct.billing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.service.command.CleanStop;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.tls.CertificateCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command line of danum-billing. Exit codes: 0 ok, 1 an invariant is broken, 64 usage, 69
/// something that is needed is not available, 78 configuration.
@Command(
    name = "danum-billing",
    description = "From a usage report to a denarius.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BillingCommand.Run.class,
      BillingCommand.Check.class,
      BillingCommand.Verify.class
    })
public final class BillingCommand {
  private static final int EXIT_BROKEN = 1;

  private BillingCommand() {}

  public static void main(String[] arguments) {
    // Logs are set up by this process from its own configuration, before Spring looks.
    System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
    System.exit(run(arguments));
  }

  static int run(String... arguments) {
    return ProcessCommandLine.of(new BillingCommand(), _ -> ExitCode.UNAVAILABLE)
        .execute(arguments);
  }

  private static void configureLogging(LoggingSettings settings) {
    ProcessLogging.configure(settings);
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      // It would write a line for each request of a stranger; refusals are answered and counted.
      context.getLogger("org.springframework.web.servlet.PageNotFound").setLevel(Level.OFF);
      // Stack traces of what billing handles: a postmaster that is already dead cannot be stopped.
      context.getLogger("io.zonky").setLevel(Level.OFF);
    }
    if (settings.level().compareTo(LoggingSettings.Level.INFO) <= 0
        && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      // They narrate their start line by line; billing says itself that it is ready.
      for (String talkative :
          List.of(
              "org.flywaydb", "com.zaxxer", "org.apache", "org.springframework", "org.hibernate")) {
        context.getLogger(talkative).setLevel(Level.WARN);
      }
    }
  }

  private static final class ConfigurationOption {
    @Option(names = "--config", required = true, description = "YAML file")
    private Path file = Path.of("");

    BillingConfiguration load() {
      return ConfigurationFile.load(file, BillingConfiguration.class);
    }
  }

  @Command(name = "run", description = "Bill until SIGTERM.", mixinStandardHelpOptions = true)
  static final class Run implements Callable<Integer> {
    @CommandLine.Mixin private ConfigurationOption config = new ConfigurationOption();

    @Override
    public Integer call() throws Exception {
      BillingConfiguration configuration = config.load();
      CertificateCheck.of(configuration.tls(), Instant.now());
      configureLogging(configuration.logging());
      BillingService service = new BillingService(configuration, InstantSource.system());
      CleanStop.serve(service, service::start);
      return 0;
    }
  }

  @Command(
      name = "check",
      description = "Read the configuration and the files it names, and show it, secrets masked.",
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @CommandLine.Mixin private ConfigurationOption config = new ConfigurationOption();

    @Override
    public Integer call() {
      BillingConfiguration configuration = config.load();
      CertificateCheck.of(configuration.tls(), Instant.now());
      System.out.print(EffectiveConfiguration.of(configuration));
      return 0;
    }
  }

  @Command(
      name = "verify",
      description = "Recompute every invariant of the ledger; exit code 1 if one is broken.",
      mixinStandardHelpOptions = true)
  static final class Verify implements Callable<Integer> {
    @CommandLine.Mixin private ConfigurationOption config = new ConfigurationOption();

    @Override
    public Integer call() throws IOException {
      BillingConfiguration configuration = config.load();
      configureLogging(
          new LoggingSettings(LoggingSettings.Format.TEXT, LoggingSettings.Level.ERROR));
      if (!configuration.database().embedded()) {
        try (HikariDataSource pool =
            Migrations.open(BillingService.external(configuration.database()), 2)) {
          return print(pool);
        }
      }
      try (EmbeddedDatabase database =
              EmbeddedDatabase.joinOrStart(
                  Path.of(configuration.database().dataDirectory()),
                  configuration.database().binaries());
          HikariDataSource pool = Migrations.open(database.address(), 2)) {
        return print(pool);
      }
    }

    private static int print(HikariDataSource pool) {
      List<LedgerVerification.Check> checks =
          new LedgerVerification(new JdbcTemplate(pool), new JdbcTransactionManager(pool)).run();
      for (LedgerVerification.Check check : checks) {
        System.out.printf(
            "%-6s %s%s%n",
            check.holds() ? "ok" : "BROKEN",
            check.name(),
            check.holds() ? "" : ": " + check.violations() + " times, e.g. " + check.example());
      }
      return checks.stream().allMatch(LedgerVerification.Check::holds) ? 0 : EXIT_BROKEN;
    }
  }
}
