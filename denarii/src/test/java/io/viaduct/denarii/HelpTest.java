package io.viaduct.denarii;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HelpTest {
  private static final Path README = Path.of("README.md");
  private static final String BEGIN = "<!-- help: made by HelpTest -->\n";

  private static CommandLine line() {
    return DenariiCommand.commandLine(Surroundings.ofProcess());
  }

  private static List<CommandLine> leaves(CommandLine line) {
    List<CommandLine> all = new ArrayList<>(List.of(line));
    line.getSubcommands().values().forEach(below -> all.addAll(leaves(below)));
    return all;
  }

  @Test
  void theReadmeHasTheHelpOfEachCommand() throws Exception {
    StringBuilder help = new StringBuilder(BEGIN);
    for (CommandLine command : leaves(line())) {
      StringWriter text = new StringWriter();
      command.usage(new PrintWriter(text, true), CommandLine.Help.Ansi.OFF);
      help.append("\n### ")
          .append(command.getCommandSpec().qualifiedName())
          .append("\n\n```text\n");
      help.append(text.toString().replaceAll("[ \t]+\n", "\n").strip()).append("\n```\n");
    }
    String readme = Files.readString(README);
    String before = readme.substring(0, readme.indexOf(BEGIN));
    if (Boolean.getBoolean("help.write")) {
      Files.writeString(README, before + help);
    }
    assertThat(Files.readString(README))
        .as("the help has changed: ./mvnw -pl :denarii test -Dtest=HelpTest -Dhelp.write=true")
        .isEqualTo(before + help);
  }

  @Test
  void theHelpOfEachCommandHasOneExampleThatTheCommandUnderstands() {
    for (CommandLine command : leaves(line())) {
      String[] footer = command.getCommandSpec().usageMessage().footer();
      String name = command.getCommandSpec().qualifiedName();
      assertThat(footer).as(name).hasSize(3).contains("Example:");
      String example = footer[2].strip().replaceAll("^source <\\(|\\)$", "");
      assertThat(example).startsWith("denarii");
      String[] words = example.replaceAll("\"[^\"]*\"", "text").split(" ");
      CommandLine.ParseResult parsed =
          line().parseArgs(List.of(words).subList(1, words.length).toArray(String[]::new));
      while (parsed.hasSubcommand()) {
        parsed = parsed.subcommand();
      }
      if (!name.equals("denarii")
          && !name.equals("denarii card")
          && !name.equals("denarii cdr-files")
          && !name.equals("denarii sip-address")
          && !name.equals("denarii rerate")
          && !name.equals("denarii snapts")
          && !name.equals("denarii tariff")
          && !name.equals("denarii tokens")
          && !name.equals("denarii voucher")
          && !name.equals("denarii webhook")) {
        assertThat(parsed.commandSpec().qualifiedName()).isEqualTo(name);
      }
    }
  }

  @Test
  void bashCompletesCommandsAndOptions(@TempDir Path home) throws Exception {
    DenariiRun run = DenariiRun.of(home, Map.of(), "completion", "bash");
    assertThat(run.code()).isZero();
    Path script = Files.writeString(home.resolve("completion.bash"), run.out());
    assertThat(completed(script, "denarii", "ta")).contains("tariff");
    assertThat(completed(script, "denarii", "tariff", "rol")).contains("rollback");
    assertThat(completed(script, "denarii", "charges", "--fo")).contains("--follow");
  }

  // Asks the shell as it asks itself when somebody presses Tab.
  private static String completed(Path script, String... words) throws Exception {
    String ask =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_denarii; echo \"${COMPREPLY[@]}\""
            .formatted(script, String.join(" ", words), words.length - 1);
    Process bash = new ProcessBuilder("bash", "-c", ask).redirectErrorStream(true).start();
    String text = new String(bash.getInputStream().readAllBytes());
    assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return text;
  }
}
