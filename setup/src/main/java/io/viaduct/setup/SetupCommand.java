package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `viaduct setup`. Exit codes (sysexits.h): 0 success, 64 wrong usage, 69 a file or
/// billing is not available, 77 no permission, 78 the command does not fit the installation.
@Command(
    name = "setup",
    mixinStandardHelpOptions = true,
    versionProvider = SetupCommand.Version.class,
    sortOptions = false,
    description = {
      "Makes an installation: authority, certificates, keys, passwords, and one configuration per"
          + " service. Then prints the commands to start it. Existing files are kept.",
      "Later runs need no options: they make missing files and print the same commands."
    },
    subcommands = {
      AddSnapt.class,
      RequestCertificate.class,
      SignRequest.class,
      AddUser.class,
      Renew.class
    })
public final class SetupCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  private final InstantSource clock;
  private final Launcher launcher;

  @Option(names = "--domain", description = "home domain of the users, such as operator.example")
  private @Nullable String domain;

  @Option(
      names = "--host",
      description =
          "IP address or DNS name of this machine, to which devices connect; repeat it for further names")
  private List<String> hosts = List.of();

  @Option(
      names = "--out",
      description = "directory of the installation (default: ${DEFAULT-VALUE})")
  private Path out = Path.of(Workplace.DEFAULT_DIRECTORY);

  @Option(names = "--snapt", description = "id of the first SNAPT (default: ${DEFAULT-VALUE})")
  private String snapt = "snapt-1";

  @Option(names = "--snapt-host", description = "host of the SNAPT, if not --host")
  private List<String> snaptHosts = List.of();

  @Option(
      names = "--snapt-port",
      description = "port of the SNAPT, TCP and UDP (default: ${DEFAULT-VALUE})")
  private int snaptPort = 443;

  @Option(
      names = "--owner",
      description = "account that earns the SNAPT's share of charges (default: ${DEFAULT-VALUE})")
  private String owner = "operator";

  @Option(names = "--region", description = "region of the SNAPT (default: ${DEFAULT-VALUE})")
  private String region = "default";

  @Option(names = "--bridge-host", description = "host of ims-bridge, if not --host")
  private List<String> bridgeHosts = List.of();

  @Option(names = "--billing-host", description = "host of danum-billing, if not --host")
  private List<String> billingHosts = List.of();

  @Option(names = "--webgui-host", description = "host of the pages, if not that of billing")
  private List<String> webguiHosts = List.of();

  @Option(
      names = "--page-listen",
      description = "address that serves the pages (default: ${DEFAULT-VALUE})")
  private String pageListen = "127.0.0.1";

  @Option(
      names = "--trusted-proxy",
      paramLabel = "NETWORK",
      description =
          "if --webgui-host is a name: address or network from which the pages connect to billing,"
              + " such as 172.16.0.0/12")
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--database-url",
      description =
          "an existing PostgreSQL, jdbc:postgresql://HOST:5432/NAME; default: billing runs its own")
  private String databaseUrl = "";

  @Option(
      names = "--database-user",
      description =
          "role in that PostgreSQL that bills (default: ${DEFAULT-VALUE}); the role with the suffix"
              + " _owner owns the tables")
  private String databaseUser = "viaduct";

  @Option(
      names = "--state",
      description = "directory for the services' state; default: beside their configuration")
  private String state = "";

  @Option(
      names = "--show-password",
      description = "print the operator's password instead of its file")
  private boolean showPassword;

  SetupCommand(InstantSource clock, Launcher launcher) {
    this.clock = clock;
    this.launcher = launcher;
  }

  /// Starts the process.
  public static void main(String[] arguments) {
    String root = System.getenv(Launcher.ROOT);
    Path current = Path.of("").toAbsolutePath();
    System.exit(run(InstantSource.system(), root == null ? current : Path.of(root), arguments));
  }

  /// Runs one command line.
  ///
  /// @param clock source of the time at which certificates begin
  /// @param checkout directory of the launcher, for the printed commands
  /// @return the exit code
  public static int run(InstantSource clock, Path checkout, String... arguments) {
    var launcher = new Launcher(checkout, Path.of("").toAbsolutePath());
    return commandLine(clock, launcher).execute(arguments);
  }

  /// Returns the command line.
  ///
  /// @param clock source of the time at which certificates begin
  static CommandLine commandLine(InstantSource clock, Launcher launcher) {
    CommandLine line =
        ProcessCommandLine.of(new SetupCommand(clock, launcher), SetupCommand::codeOf);
    line.setUsageHelpAutoWidth(true);
    return line;
  }

  private static int codeOf(Exception failure) {
    return switch (failure) {
      case IllegalArgumentException _ -> ExitCode.USAGE; // a value of an option
      case AccessDeniedException _ -> ExitCode.PERMISSION;
      case IOException _ -> ExitCode.UNAVAILABLE;
      default -> ExitCode.DEFECT;
    };
  }

  @Override
  public Integer call() throws Exception {
    Workplace workplace = workplace(out);
    Optional<Installation> present = workplace.present();
    Installation installation = present.isPresent() ? present.get() : requested();
    if (present.isPresent()) {
      refuseOtherFacts(present.get());
    }
    workplace.make(installation);
    workplace.printFiles(out());
    new Steps(workplace, installation).print(out(), showPassword);
    return ExitCode.OK;
  }

  private Installation requested() {
    if (domain == null || (hosts.isEmpty() && someHostIsMissing())) {
      throw new CommandLine.ParameterException(
          line(),
          "there is no installation in %s: make one with setup --domain DOMAIN --host HOST"
              .formatted(out));
    }
    return new Installation(
        domain,
        names(billingHosts, hosts),
        names(bridgeHosts, hosts),
        names(webguiHosts, billingHosts.isEmpty() ? hosts : billingHosts),
        pageListen,
        trustedProxies,
        databaseUrl,
        databaseUrl.isEmpty() ? "" : databaseUser,
        state,
        List.of(new Snapt(snapt, names(snaptHosts, hosts), snaptPort, owner, region)));
  }

  private boolean someHostIsMissing() {
    return snaptHosts.isEmpty() || bridgeHosts.isEmpty() || billingHosts.isEmpty();
  }

  /// Refuses options that differ from an existing installation: they would have no effect.
  private void refuseOtherFacts(Installation present) {
    for (var option : line().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (List.of("--out", "--show-password").contains(name)) {
        continue;
      }
      if (domain == null
          || !requested()
              .equals(
                  present.withSnapts(
                      present.snapts().subList(0, Math.min(1, present.snapts().size()))))) {
        throw new ConfigurationException(
            "the options differ from %s: run setup without them, or change that file and run 'setup renew', or choose another --out"
                .formatted(out.resolve(Installation.FILE)));
      }
      return;
    }
  }

  private static List<HostName> names(List<String> given, List<String> otherwise) {
    return (given.isEmpty() ? otherwise : given).stream().distinct().map(HostName::new).toList();
  }

  /// Returns the workplace of a subcommand.
  Workplace workplace(Path directory) {
    return new Workplace(directory, launcher, clock.instant());
  }

  private CommandLine line() {
    if (spec == null) {
      throw new IllegalStateException("picocli gives the specification before it runs a command");
    }
    return spec.commandLine();
  }

  /// Returns the command's standard output.
  PrintWriter out() {
    return line().getOut();
  }

  /// Prints the version.
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"setup " + ProcessMetrics.versionOf(SetupCommand.class)};
    }
  }
}
