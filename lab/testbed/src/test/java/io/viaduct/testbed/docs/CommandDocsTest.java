package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.command.ExitCode;
import io.viaduct.testbed.docs.Documents.Line;
import io.viaduct.testbed.docs.Programs.Form;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Every command line, option and exit code that a document names is one of the programs.
class CommandDocsTest {
  private static final Pattern END_OF_COMMAND = Pattern.compile("\\s+(#|>>|&|\\|)|\\s{3,}+(?!--)");
  private static final Pattern LAUNCHER = Pattern.compile("^(sudo )?(\\./viaduct|viaduct)( |$)");
  private static final Pattern JAR =
      Pattern.compile("java -jar (?:target/)?([a-z-]+?)(?:-server|-agent)?(?:-[0-9<][^ ]*)?\\.jar");
  private static final List<String> SERVICES =
      List.of("snapt", "ims-bridge", "danum-billing", "webgui");
  private static final Pattern CODES = Pattern.compile("(?i)exit codes?:? (?:\\(.*?\\): )?([^.]*)");
  private static final Pattern CODE = Pattern.compile("(?<![\\w.-])([0-9]{1,3})(?= |,|\\)|$)");

  private final List<String> wrong = new ArrayList<>();
  private int looked;

  @Test
  void commandsOfTheDocsAreUnderstoodByTheirPrograms() {
    for (List<Line> block : Documents.blocks()) {
      block.forEach(line -> command(line, line.text(), Form.COMPLETE));
    }
    for (Line line : Documents.lines()) {
      line.spans().forEach(span -> command(line, span, Form.MENTIONED));
    }
    assertThat(looked).isGreaterThan(80);
    assertThat(wrong).isEmpty();
  }

  private void command(Line line, String text, Form form) {
    String command = END_OF_COMMAND.split(JAR.matcher(text.strip()).replaceAll("$1"))[0];
    Matcher launcher = LAUNCHER.matcher(command);
    boolean launched = launcher.find();
    // A text in quotes is one word.
    String unquoted =
        Pattern.compile("\"[^\"]*\"")
            .matcher(launcher.replaceFirst("").strip())
            .replaceAll(quoted -> Matcher.quoteReplacement(quoted.group().replace(' ', '_')));
    List<String> words = List.of(unquoted.split(" +"));
    if (words.size() > 1 && List.of("run", "check").contains(words.getFirst())) {
      // Said of every service.
      SERVICES.forEach(service -> look(line, prefixed(service, words), form));
    } else if (launched || (words.size() > 1 && Programs.names().contains(words.getFirst()))) {
      look(line, words, form);
    }
  }

  private static List<String> prefixed(String service, List<String> words) {
    List<String> all = new ArrayList<>(words);
    all.addFirst(service);
    return all;
  }

  private void look(Line line, List<String> words, Form form) {
    looked++;
    // A synopsis: [--json] [--config FILE | --socket SOCKET]
    List<String> plain =
        words.stream()
            .map(word -> word.replaceAll("[\\[\\]\"']", ""))
            .filter(word -> !word.isEmpty() && !word.startsWith("@"))
            .toList();
    Programs.refusal(plain, form)
        .ifPresent(
            why -> wrong.add("%s: %s: %s".formatted(line.where(), String.join(" ", words), why)));
  }

  @Test
  void optionsOfTheDocsExistInSomeProgram() {
    for (Line line : Documents.lines()) {
      for (String span : line.spans()) {
        if (span.startsWith("--")) {
          for (MatchResult option : Documents.matches(Pattern.compile("--[a-z-]+"), span)) {
            looked++;
            if (!Programs.haveOption(option.group())) {
              wrong.add("%s: no program has the option %s".formatted(line.where(), option.group()));
            }
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(30);
    assertThat(wrong).isEmpty();
  }

  @Test
  void exitCodesOfTheDocsAreThoseOfTheProcesses() throws IllegalAccessException {
    Set<Integer> known = new TreeSet<>(Set.of(70)); // the launcher's: a build or a suite failed
    for (Field code : ExitCode.class.getFields()) {
      known.add(code.getInt(null));
    }
    Set<Integer> ofTheOperator = new TreeSet<>();
    for (Line line : Documents.lines()) {
      for (MatchResult codes : Documents.matches(CODES, line.text())) {
        for (MatchResult code : Documents.matches(CODE, codes.group(1))) {
          looked++;
          int value = Integer.parseInt(code.group(1));
          if (!known.contains(value)) {
            wrong.add(
                "%s: no process ends with %d; there are %s".formatted(line.where(), value, known));
          }
          if (line.text().startsWith("Exit codes") && line.file().equals("docs/operator.md")) {
            ofTheOperator.add(value);
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(15);
    assertThat(wrong).isEmpty();
    known.remove(70);
    assertThat(ofTheOperator).as("the operator's list is whole").isEqualTo(known);
  }
}
