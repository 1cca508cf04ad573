package io.viaduct.webgui;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.spring.ServiceProcess;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.springframework.context.ApplicationContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `webgui run|check --config FILE`. Exit codes: 0 stopped or configuration good, 64 usage, 69 the
/// address is taken, 78 configuration refused (sysexits.h).
@Command(
    name = WebguiCommand.NAME,
    description = "Pages for users and operators: balance, charges and their reasons, SNAPTs.",
    mixinStandardHelpOptions = true,
    subcommands = {WebguiCommand.Run.class, WebguiCommand.Check.class})
public final class WebguiCommand {
  static final String NAME = "webgui";

  public static void main(String... arguments) {
    System.exit(
        ProcessCommandLine.start(
                NAME, "run", WebguiCommand::serve, WebguiCommand::codeOf, arguments)
            .orElseGet(() ->
                execute(
                    new PrintWriter(System.out, true),
                    new PrintWriter(System.err, true),
                    arguments)));
  }

  static int execute(PrintWriter out, PrintWriter err, String... arguments) {
    return ProcessCommandLine.of(new WebguiCommand(), WebguiCommand::codeOf)
        .setOut(out)
        .setErr(err)
        .execute(arguments);
  }

  private static int codeOf(Exception failure) {
    return failure instanceof IOException ? ExitCode.UNAVAILABLE : ExitCode.DEFECT;
  }

  private static int serve(Path file) throws Exception {
    return new ServiceProcess<>(
            WebguiConfiguration::logging,
            WebguiApplication::of,
            WebguiReload::of,
            WebguiCommand::ready)
        .run(WebguiReload.source(file));
  }

  private static void ready(WebguiConfiguration configuration, ApplicationContext parts) {
    System.out.println(
        "webgui: pages at http://%s:%s/"
            .formatted(
                configuration.http().host(),
                parts.getEnvironment().getProperty("local.server.port")));
  }

  @Command(name = "run", description = "Serve the pages until SIGTERM.")
  static final class Run implements Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE", description = "YAML file")
    @SuppressWarnings("NullAway.Init")
    private Path config;

    @Override
    public Integer call() throws Exception {
      return serve(config);
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
