package io.viaduct.webgui;

import io.viaduct.service.command.CleanStop;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.reload.HangUp;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ConfigurableApplicationContext;
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
    return ProcessCommandLine.of(
            new WebguiCommand(),
            failure -> failure instanceof IOException ? ExitCode.UNAVAILABLE : ExitCode.DEFECT)
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
      HangUp hangUp = HangUp.listen();
      ConfigurationSource<WebguiConfiguration> source = WebguiReload.source(config);
      WebguiConfiguration configuration = source.load();
      ConfigurationKeys running = ConfigurationKeys.of(configuration);
      ConfigurableApplicationContext context = start(configuration);
      String port = context.getEnvironment().getProperty("local.server.port");
      String pages = "webgui: pages at http://" + configuration.http().host() + ":" + port + "/";
      CleanStop.serve(
          context,
          () -> {
            spec.commandLine().getOut().println(pages);
            hangUp.then(WebguiReload.of(source, running, context)::reload);
          });
      return ExitCode.OK;
    }

    // Spring starts both listeners; its exception tells which port it was.
    private static ConfigurableApplicationContext start(WebguiConfiguration configuration)
        throws IOException {
      try {
        return WebguiApplication.start(configuration);
      } catch (RuntimeException e) {
        OperationsSettings operations = configuration.operations();
        boolean ofOperations = portOf(e) == operations.port();
        String mapping = ofOperations ? "operations" : "http";
        return Listening.on(
            mapping + ".host",
            mapping + ".port",
            "TCP",
            ofOperations ? operations.host() : configuration.http().host(),
            ofOperations ? operations.port() : configuration.http().port(),
            () -> {
              throw e;
            });
      }
    }

    private static int portOf(Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof PortInUseException taken) {
          return taken.getPort();
        }
      }
      return -1;
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
      out.print(WebguiReload.source(config).effective());
      out.flush();
      return 0;
    }
  }
}
