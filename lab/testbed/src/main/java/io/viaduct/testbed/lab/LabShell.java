package io.viaduct.testbed.lab;

import io.viaduct.testbed.weather.WeatherText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Reads command lines and runs them. At a prompt an error is reported and the next line is read; a
/// script ends at its first error.
final class LabShell {
  static final int WRONG = 64; // EX_USAGE of sysexits.h
  static final int FAILED = 1;
  private static final int QUIT = -1;
  private static final String PROMPT = "lab> ";
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  private final LabSession session;
  private final boolean isPrompting;

  /// Ends the laboratory.
  @Command(
      name = "quit",
      aliases = {"leave", "exit"},
      description = "leave; everything is cleaned up")
  static final class Quit implements java.util.concurrent.Callable<Integer> {
    @Override
    public Integer call() {
      return QUIT;
    }
  }

  /// Container of the commands.
  @Command(
      name = "",
      subcommands = {Quit.class})
  static final class Commands {}

  LabShell(LabSession session, boolean isPrompting) {
    this.session = session;
    this.isPrompting = isPrompting;
  }

  /// Runs all lines.
  ///
  /// @return exit code
  int run(BufferedReader lines) throws IOException {
    if (isPrompting) {
      session.out().println("'help' lists the commands, 'quit' or Ctrl-D leaves");
    }
    int number = 0;
    prompt();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      int status = execute(line, isPrompting ? "" : "line %d: ".formatted(number));
      if (status == QUIT) {
        return 0;
      }
      if (status != 0 && !isPrompting) {
        return status;
      }
      prompt();
    }
    return 0;
  }

  private void prompt() {
    if (isPrompting) {
      session.out().print(PROMPT);
    }
    session.out().flush();
  }

  private int execute(String line, String where) {
    List<String> words = words(line);
    if (words.isEmpty()) {
      return 0;
    }
    var commands = commands();
    commands.setExecutionExceptionHandler((failure, command, result) -> report(where, failure));
    commands.setParameterExceptionHandler((failure, arguments) -> report(where, failure));
    return commands.execute(words.toArray(String[]::new));
  }

  /// Returns a line for a person.
  private int report(String where, Exception failure) {
    String said = failure.getMessage();
    if (failure instanceof ParameterException wrong) {
      CommandLine command = wrong.getCommandLine();
      boolean isUnknown =
          wrong instanceof UnmatchedArgumentException && command.getCommandName().isEmpty();
      said =
          isUnknown
              ? "'%s' is no command; there is: %s"
                  .formatted(
                      ((UnmatchedArgumentException) wrong).getUnmatched().getFirst(),
                      String.join(", ", command.getSubcommands().keySet()))
              : said + "; usage: " + usage(command);
    }
    session.out().flush();
    System.err.println("viaduct: " + where + said);
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return failure instanceof IllegalArgumentException || failure instanceof ParameterException
        ? WRONG
        : FAILED;
  }

  private static String usage(CommandLine command) {
    return command
        .getUsageMessage(CommandLine.Help.Ansi.OFF)
        .lines()
        .filter(line -> line.startsWith("Usage:"))
        .map(line -> line.substring("Usage:".length()).strip())
        .findFirst()
        .orElse("help lists the commands");
  }

  private CommandLine commands() {
    var line = new CommandLine(new Commands());
    line.addSubcommand(new CommandLine.HelpCommand());
    line.addSubcommand(new LinkCommands.Show(session));
    line.addSubcommand(weather());
    line.addSubcommand(new LinkCommands.BlackHole(session));
    line.addSubcommand(new LinkCommands.Plug(session));
    line.addSubcommand(new WatchCommands.Watch(session));
    line.addSubcommand(new WatchCommands.Counters(session));
    // The options of the program that is run are not ours.
    line.addSubcommand(
        new CommandLine(new ProgramCommands.Exec(session)).setStopAtPositional(true));
    line.addSubcommand(new ProgramCommands.Wait());
    line.addSubcommand(new ReplayCommands.Start(session));
    line.addSubcommand(new ReplayCommands.Stop(session));
    line.setOut(new PrintWriter(session.out(), true));
    return line;
  }

  private CommandLine weather() {
    var weather = new CommandLine(new LinkCommands.WeatherChange(session));
    // picocli formats the lines, so a percent sign is doubled.
    String settings = "\nSettings:\n" + WeatherText.HELP.replace("%", "%%");
    weather.getCommandSpec().usageMessage().footer(settings.split("\n"));
    return weather;
  }

  static List<String> words(String line) {
    var words = new ArrayList<String>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      String word =
          matcher.group(1) != null
              ? matcher.group(1)
              : matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
      if (matcher.group(3) != null && word.startsWith("#")) {
        break;
      }
      words.add(word);
    }
    return words;
  }
}
