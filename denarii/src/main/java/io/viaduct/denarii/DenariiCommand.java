package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingAwayException;
import io.viaduct.denarii.api.BillingRefusedException;
import io.viaduct.denarii.api.NotLoggedInException;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The command line of billing, for users and operators. Exit codes: 0 success, 1 an invariant of
/// the ledger, or a statement, is broken, 2 not found, 64 wrong usage, 65 billing refuses the
/// request, or a file is not what it should be, 66 a local file cannot be read or written, 69
/// billing is away, 70 a defect, 75 try again later, 77 no log-in or not allowed.
@Command(
    name = "denarii",
    description = {
      "Shows and moves money in billing: accounts, top-ups, charges, tariffs, exports.",
      "Log in once with 'denarii login'. Times are in your time zone (variable TZ)."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:an invariant of the ledger, or a statement, is broken",
      "2:not found",
      "64:wrong usage",
      "65:billing refuses the request, or a file is not what it should be",
      "66:a local file cannot be read or written",
      "69:billing is away",
      "70:a defect of denarii",
      "75:try again later",
      "77:no log-in, or not allowed"
    },
    footer = {"", "Example:", "  denarii account"},
    subcommands = {
      LoginCommand.class,
      LogoutCommand.class,
      AccountCommand.class,
      ImportCommand.class,
      CardCommand.class,
      SipAddressCommand.class,
      TopUpCommand.class,
      VoucherCommand.class,
      ChargesCommand.class,
      CapCreditsCommand.class,
      ExplainCommand.class,
      SimulateCommand.class,
      SnaptsCommand.class,
      FeesCommand.class,
      RewardsCommand.class,
      TariffCommand.class,
      RerateCommand.class,
      StatementCommand.class,
      ExportCommand.class,
      CdrFilesCommand.class,
      WebhookCommand.class,
      VerifyCommand.class,
      VerifyStatementCommand.class,
      AuditCommand.class,
      TokensCommand.class,
      ResetCommand.class,
      CompletionCommand.class
    })
public final class DenariiCommand {
  static final int BROKEN = 1;
  static final int DEFECT = 70;

  private final Surroundings surroundings;

  DenariiCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /// Starts the process.
  public static void main(String[] arguments) {
    CommandLine line = commandLine(Surroundings.ofProcess());
    line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    System.exit(line.execute(arguments));
  }

  /// Returns the command line; it prints to its own writers.
  public static CommandLine commandLine(Surroundings surroundings) {
    CommandLine line =
        ProcessCommandLine.of(new DenariiCommand(surroundings), DenariiCommand::codeOf);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    prepare(line);
    return line;
  }

  // Help must not depend on the terminal: the README has it too.
  private static void prepare(CommandLine line) {
    line.getCommandSpec().exitCodeOnExecutionException(DEFECT);
    line.getCommandSpec().usageMessage().width(100);
    line.getSubcommands().values().forEach(DenariiCommand::prepare);
  }

  Surroundings surroundings() {
    return surroundings;
  }

  private static int codeOf(Exception failure) {
    return switch (failure) {
      case BillingRefusedException refused -> codeOf(refused.status());
      case BillingAwayException _ -> ExitCode.UNAVAILABLE;
      case NotLoggedInException _ -> ExitCode.PERMISSION;
      case IllegalArgumentException _ -> ExitCode.USAGE; // a value of an argument
      case ForeignFileException _ -> ExitCode.REFUSED; // EX_DATAERR
      case IOException _ -> ExitCode.FILE;
      default -> ExitCode.DEFECT; // picocli prints it, and ends with 70
    };
  }

  private static int codeOf(int status) {
    return switch (status) {
      case 401, 403 -> ExitCode.PERMISSION;
      case 404 -> ExitCode.NOT_FOUND;
      case 429, 503 -> ExitCode.TRY_AGAIN;
      default -> status / 100 == 4 ? ExitCode.REFUSED : ExitCode.UNAVAILABLE;
    };
  }
}
