package io.viaduct.cnapt;

import io.viaduct.cnapt.operations.StatusText;
import io.viaduct.host.cgroup.ControlGroupException;
import io.viaduct.host.linux.SystemCalls;
import io.viaduct.host.tun.TunException;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.reload.KeptSignal;
import io.viaduct.service.tls.KeyFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `cnapt up|status|outside|paths|path|policy|check|keygen`. The exit codes (sysexits.h) are: 0
/// success, 1 degraded, 64 usage, 69 not running or not available, 77 no permission, 78
/// configuration.
@Command(
    name = "cnapt",
    description = "The agent of a Viaduct device.",
    mixinStandardHelpOptions = true,
    subcommands = {
      CnaptCommand.Up.class,
      CnaptCommand.Status.class,
      CnaptCommand.Check.class,
      OutsideCommand.class,
      PathsCommand.class,
      PathCommand.class,
      PolicyCommand.class,
      EventsCommand.class,
      CnaptCommand.Keygen.class
    })
public final class CnaptCommand {
  // The status socket exposes flows and addresses of the device's user.
  private static final int PRIVATE_UMASK = 0077;

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /// Runs a command line and returns the exit code.
  static int run(String... arguments) {
    OptionalInt started =
        ProcessCommandLine.start("cnapt", "up", Up::carry, CnaptCommand::codeOf, arguments);
    return started.isPresent() ? started.getAsInt() : other(arguments);
  }

  private static int other(String... arguments) {
    CommandLine command = ProcessCommandLine.of(new CnaptCommand(), CnaptCommand::codeOf);
    return arguments.length == 0 ? usage(command) : command.execute(arguments);
  }

  private static int usage(CommandLine command) {
    command.usage(System.err);
    return ExitCode.USAGE;
  }

  private static int codeOf(Exception failure) {
    return switch (failure) {
      case TunException tun when tun.reason() == TunException.Reason.NO_PERMISSION ->
          ExitCode.PERMISSION;
      case ControlGroupException group
          when group.reason() == ControlGroupException.Reason.NO_PERMISSION ->
          ExitCode.PERMISSION;
      case AccessDeniedException _ -> ExitCode.PERMISSION;
      case IOException _ -> ExitCode.UNAVAILABLE;
      default -> ExitCode.DEFECT;
    };
  }

  @Command(
      name = "up",
      description = "Carry this device's traffic until SIGTERM.",
      mixinStandardHelpOptions = true)
  static final class Up implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "YAML file")
    Path config = Path.of("");

    @Override
    public Integer call() throws Exception {
      return carry(config);
    }

    static int carry(Path config) throws Exception {
      EarlyStart.begin();
      KeptSignal hangUp = KeptSignal.listen("HUP");
      ConfigurationSource<CnaptConfiguration> source = AgentReload.source(config);
      CnaptConfiguration configuration =
          source.read(); // the files that it names are read later, where they are used
      ProcessLogging.configure(configuration.logging());
      new SystemCalls().umask(PRIVATE_UMASK);
      RunningAgent.refuseSecond(configuration.statusSocket());
      CountDownLatch stopping = new CountDownLatch(1);
      Thread main = Thread.currentThread();
      Thread hook =
          new Thread(
              () -> {
                stopping.countDown();
                join(main);
              },
              "stop");
      try (CarryingAgent agent = agent(configuration)) {
        Runtime.getRuntime().addShutdownHook(hook);
        try {
          agent.start();
        } catch (IOException | RuntimeException e) {
          Runtime.getRuntime()
              .removeShutdownHook(hook); // otherwise exit() would wait for this thread
          throw e;
        }
        hangUp.then(agent.reload(source)::reload);
        stopping.await();
      }
      // After a signal, the JVM would exit with 128 + the signal number. A clean stop must exit
      // with 0.
      Runtime.getRuntime().halt(0);
      return 0;
    }

    private static CarryingAgent agent(CnaptConfiguration configuration) throws IOException {
      AgentClock clock = new AgentClock(InstantSource.system(), System::nanoTime);
      return configuration.peer().enabled()
          ? new PeerAgent(configuration, clock)
          : new Agent(configuration, clock);
    }

    private static void join(Thread main) {
      try {
        main.join(Duration.ofSeconds(10));
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Command(
      name = "status",
      description = "Show the status of the running agent.",
      mixinStandardHelpOptions = true)
  static final class Status implements Callable<Integer> {
    @Option(names = "--json", description = "print the JSON document")
    boolean json;

    @Mixin AgentSocket agent = new AgentSocket();

    @Override
    public Integer call() throws Exception {
      String answer = agent.status();
      System.out.print(json ? answer : StatusText.of(answer));
      return StatusText.isUp(answer) ? 0 : 1;
    }
  }

  @Command(
      name = "check",
      description = "Check a configuration without starting anything.",
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "YAML file")
    Path config = Path.of("");

    @Override
    public Integer call() {
      System.out.print(AgentReload.source(config).effective());
      return 0;
    }
  }

  @Command(
      name = "keygen",
      description =
          "Make the key of this device, or of this end of a tunnel to a peer; prints the public part.",
      mixinStandardHelpOptions = true)
  static final class Keygen implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "PEM file to write, mode 600; must not exist")
    Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
      String key = Base64.getUrlEncoder().withoutPadding().encodeToString(KeyFile.make(file));
      System.out.printf(
          "device: \"%s\" # as billing's lists of devices show it; peer.key of a peer%n", key);
      return 0;
    }
  }
}
