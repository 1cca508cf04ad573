package io.viaduct.billing;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.database.OpeningDatabase;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.num.NumCommand;
import io.viaduct.billing.preview.DayCommand;
import io.viaduct.billing.preview.PricesCommand;
import io.viaduct.billing.receipts.ReceiptVerification;
import io.viaduct.billing.tariff.TariffRefusedException;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.spring.ServiceLogging;
import io.viaduct.spring.ServiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command line of danum-billing. Exit codes: 0 success, 1 a ledger invariant is broken, 64
/// wrong usage, 69 a resource is not available, 78 wrong configuration or tariff.
@Command(
    name = "danum-billing",
    description = "From a usage report to a denarius.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BillingCommand.Run.class,
      BillingCommand.Check.class,
      BillingCommand.Verify.class,
      DayCommand.class,
      PricesCommand.class,
      NumCommand.class
    })
public final class BillingCommand {
  private static final int EXIT_BROKEN = 1;

  private static final Logger LOG = LoggerFactory.getLogger(BillingCommand.class);

  private BillingCommand() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  static int run(String... arguments) {
    return ProcessCommandLine.start(
            "danum-billing", "run", BillingCommand::serve, BillingCommand::exitCode, arguments)
        .orElseGet(() ->
            ProcessCommandLine.of(new BillingCommand(), BillingCommand::exitCode)
                .execute(arguments));
  }

  private static int exitCode(Exception failure) {
    return failure instanceof TariffRefusedException
        ? ExitCode.CONFIGURATION
        : ExitCode.UNAVAILABLE;
  }

  private static int serve(Path file) throws Exception {
    return new ServiceProcess<>(
            BillingConfiguration::logging,
            configuration -> BillingApplication.of(configuration, InstantSource.system()),
            BillingReload::of,
            BillingCommand::ready)
        .run(BillingReload.source(file, InstantSource.system()));
  }

  private static void ready(BillingConfiguration configuration, ApplicationContext parts) {
    LOG.info(
        "billing is ready: rest http://{}:{}, mediation {}:{}",
        configuration.rest().host(),
        parts.getEnvironment().getProperty("local.server.port"),
        configuration.grpc().host(),
        BillingApplication.grpcPort(parts));
  }

  private static final class ConfigurationOption {
    @Option(names = "--config", required = true, description = "YAML file")
    private Path file = Path.of("");

    ConfigurationSource<BillingConfiguration> source() {
      return BillingReload.source(file, InstantSource.system());
    }
  }

  @Command(name = "run", description = "Bill until SIGTERM.", mixinStandardHelpOptions = true)
  static final class Run implements Callable<Integer> {
    @CommandLine.Mixin private ConfigurationOption config = new ConfigurationOption();

    @Override
    public Integer call() throws Exception {
      return serve(config.file);
    }
  }

  @Command(
      name = "check",
      description = {
        "Read the configuration and the files it names, and show it, secrets masked.",
        "If the database can be reached, compare the owners of snapts with it."
      },
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @CommandLine.Mixin private ConfigurationOption config = new ConfigurationOption();

    @Override
    public Integer call() {
      ConfigurationSource<BillingConfiguration> source = config.source();
      System.out.print(source.effective());
      List<String> differences = OwnerCheck.of(source.read());
      differences.forEach(line -> System.err.println("error: " + line));
      return differences.isEmpty() ? ExitCode.OK : ExitCode.CONFIGURATION;
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
      BillingConfiguration configuration = config.source().read();
      ServiceLogging.configure(
          new LoggingSettings(LoggingSettings.Format.TEXT, LoggingSettings.Level.ERROR));
      if (!OpeningDatabase.isEmbedded(configuration.database())) {
        try (HikariDataSource pool =
            Migrations.open(OpeningDatabase.external(configuration.database()), 2)) {
          return print(pool);
        }
      }
      try (EmbeddedDatabase database =
              EmbeddedDatabase.joinOrStart(
                  Path.of(configuration.database().dataDirectory()),
                  configuration.database().binaries());
          HikariDataSource pool = Migrations.open(database.access(), 2)) {
        return print(pool);
      }
    }

    private static int print(HikariDataSource pool) {
      List<LedgerVerification.Check> checks =
          new LedgerVerification(
                  JdbcClient.create(pool),
                  new Snapshot(new JdbcTransactionManager(pool)),
                  ReceiptVerification.checks(JdbcClient.create(pool)))
              .run();
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
