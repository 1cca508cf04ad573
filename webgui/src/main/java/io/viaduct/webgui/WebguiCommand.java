package io.viaduct.webgui;

import io.viaduct.service.command.CleanStop;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `webgui run|check --config FILE`. Exit codes: 0 stopped or configuration good, 64 usage, 69 the
/// address is taken, 78 configuration refused (sysexits.h).
@Command(
    name = "webgui",
    description = "Pages for users and operators: balance, charges and their reasons, SNAPTs.",
    mixinStandardHelpOptions = true,
    subcommands = {WebguiCommand.Run.class, WebguiCommand.Check.class})
public final class WebguiCommand {
  public static void main(String... arguments) {
    System.exit(
        execute(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
  }

  static int execute(PrintWriter out, PrintWriter err, String... arguments) {
    return ProcessCommandLine.of(new WebguiCommand(), _ -> ExitCode.DEFECT)
        .setOut(out)
        .setErr(err)
        .execute(arguments);
  }

  @Command(name = "run", description = "Serve the pages until SIGTERM.")
  static final class Run implements Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE", description = "YAML file")
    @SuppressWarnings("NullAway.Init")
    private Path config;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
      WebguiConfiguration configuration = ConfigurationFile.load(config, WebguiConfiguration.class);
      PrintWriter err = spec.commandLine().getErr();
      try {
        ConfigurableApplicationContext context = WebguiApplication.start(configuration);
        String port = context.getEnvironment().getProperty("local.server.port");
        String pages = "webgui: pages at http://" + configuration.http().host() + ":" + port + "/";
        CleanStop.serve(context, () -> spec.commandLine().getOut().println(pages));
      } catch (RuntimeException e) {
        // Spring wraps it as often as it started contexts.
        if (NestedExceptionUtils.getRootCause(e) instanceof BindException taken) {
          err.println(
              "webgui: cannot listen: "
                  + taken.getMessage()
                  + ": change http.host, http.port, operations.host or operations.port");
          return ExitCode.UNAVAILABLE;
        }
        throw e;
      }
      return ExitCode.OK;
    }
  }

  @Command(name = "check", description = "Load the configuration, print it with secrets masked.")
  static final class Check implements Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE", description = "YAML file")
    @SuppressWarnings("NullAway.Init")
    private Path config;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      out.print(
          EffectiveConfiguration.of(ConfigurationFile.load(config, WebguiConfiguration.class)));
      out.flush();
      return 0;
    }
  }
}
