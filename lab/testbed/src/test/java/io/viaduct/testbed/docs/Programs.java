package io.viaduct.testbed.docs;

import io.viaduct.billing.BillingCommand;
import io.viaduct.bridge.BridgeCommand;
import io.viaduct.cnapt.CnaptCommand;
import io.viaduct.denarii.DenariiCommand;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.setup.SetupCommand;
import io.viaduct.sip.useragent.UserAgentCommand;
import io.viaduct.snapt.SnaptCommand;
import io.viaduct.testbed.LaboratoryCommand;
import io.viaduct.testbed.payment.ProviderCommand;
import io.viaduct.webgui.WebguiCommand;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/// Parses command lines with the command model of the program that they start; those of the
/// launcher itself with the `case` labels of its scripts. Nothing is executed.
final class Programs {
  /// Tells whether a command line must be complete, by the place where it stands.
  enum Form {
    /// In running text: `danum-billing verify` may leave out what it needs.
    MENTIONED,
    /// To be copied into a shell.
    COMPLETE
  }

  private static final Map<String, Class<?>> PICOCLI =
      Map.of(
          "snapt", SnaptCommand.class,
          "cnapt", CnaptCommand.class,
          "ims-bridge", BridgeCommand.class,
          "danum-billing", BillingCommand.class,
          "webgui", WebguiCommand.class,
          "setup", SetupCommand.class,
          "denarii", DenariiCommand.class,
          "provider", ProviderCommand.class,
          "user-agent", UserAgentCommand.class);

  private static final List<String> LABORATORY = List.of("demo", "bench", "lab", "chaos");

  /// Commands of the launcher that are bash, and the file that reads their options.
  private static final Map<String, String> SCRIPTS =
      Map.ofEntries(
          Map.entry("train", "viaduct"),
          Map.entry("screenshots", "viaduct"),
          Map.entry("test", "bin/suite.sh"),
          Map.entry("fuzz", "bin/fuzz.sh"),
          Map.entry("version", "viaduct"),
          Map.entry("help", "viaduct"),
          Map.entry(
              "bench stages", "lab/benchmarks/src/main/java/io/viaduct/stages/StagesCommand.java"),
          Map.entry("bench core", "bin/benchmarks.sh"),
          Map.entry("bench billing", "bin/benchmarks.sh"),
          Map.entry(
              "bench control",
              "lab/benchmarks/src/main/java/io/viaduct/controlbench/ControlCommand.java"),
          Map.entry("bench credit-load", "bin/benchmarks.sh"),
          Map.entry("bench pages", "bin/suite.sh"),
          Map.entry("bench viewers", "bin/suite.sh"),
          Map.entry("reproduce num", "viaduct"),
          Map.entry("reproduce fleet", "bin/benchmarks.sh"));

  // Stands for a value: NAME, FILE, H2, "…", a variable of the shell; picocli could not convert it.
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z][A-Z0-9-]*|[$].+|.*(…|@).*");

  private Programs() {}

  /// Returns the first words of command lines that are looked up.
  static List<String> names() {
    return List.of(
        "viaduct",
        "snapt",
        "cnapt",
        "ims-bridge",
        "danum-billing",
        "webgui",
        "setup",
        "denarii",
        "provider",
        "user-agent",
        "demo",
        "bench",
        "chaos",
        "train",
        "screenshots",
        "fuzz");
  }

  /// Returns what is wrong with a command line.
  ///
  /// @param words the program, without `./viaduct`, and its arguments
  static Optional<String> refusal(List<String> words, Form form) {
    if (words.isEmpty() || words.equals(List.of("--help"))) {
      return Optional.empty(); // the launcher alone tells its usage
    }
    String name = words.getFirst();
    String two = words.stream().limit(2).collect(Collectors.joining(" "));
    if (SCRIPTS.containsKey(two) || SCRIPTS.containsKey(name)) {
      return script(SCRIPTS.containsKey(two) ? two : name, words);
    }
    if (LABORATORY.contains(name)) {
      // The launcher adds the options that it requires.
      return parse(line(LaboratoryCommand.class), words, Form.MENTIONED);
    }
    Class<?> command = PICOCLI.get(name);
    return command == null
        ? Optional.of(
            "'" + name + "' is no command; there is: " + PICOCLI.keySet() + SCRIPTS.keySet())
        : parse(line(command), words.subList(1, words.size()), form);
  }

  private static Optional<String> parse(CommandLine line, List<String> arguments, Form form) {
    try {
      line.parseArgs(arguments.toArray(String[]::new));
      return Optional.empty();
    } catch (MissingParameterException e) {
      boolean helped = arguments.contains("--help");
      return helped || form == Form.MENTIONED ? Optional.empty() : Optional.of(told(e));
    } catch (ParameterException e) {
      return e.getValue() != null && PLACEHOLDER.matcher(e.getValue()).matches()
          ? Optional.empty()
          : Optional.of(told(e));
    }
  }

  private static String told(ParameterException e) {
    return "%s; '%s' has: %s %s"
        .formatted(
            e.getMessage(),
            e.getCommandLine().getCommandSpec().qualifiedName(),
            e.getCommandLine().getSubcommands().keySet(),
            e.getCommandLine().getCommandSpec().optionsMap().keySet());
  }

  private static Optional<String> script(String command, List<String> words) {
    String file = SCRIPTS.get(command);
    String text = Documents.read(Documents.ROOT.resolve(file));
    return words.stream()
        .filter(word -> word.startsWith("--") && !word.equals("--help"))
        .filter(
            option -> !Pattern.compile("(?<![\\w-])" + option + "(?![\\w-])").matcher(text).find())
        .map(option -> "'%s' of '%s' is not in %s".formatted(option, command, file))
        .findFirst();
  }

  /// Answers whether some program has this option.
  static boolean haveOption(String option) {
    return PICOCLI.values().stream().anyMatch(command -> has(line(command), option))
        || has(line(LaboratoryCommand.class), option)
        || SCRIPTS.keySet().stream().anyMatch(name -> script(name, List.of(option)).isEmpty());
  }

  private static boolean has(CommandLine line, String option) {
    return line.getCommandSpec().findOption(option) != null
        || line.getSubcommands().values().stream().anyMatch(below -> has(below, option));
  }

  private static CommandLine line(Class<?> command) {
    CommandLine line = ProcessCommandLine.of(instance(command), _ -> ExitCode.DEFECT);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  // Parsing needs no collaborator of the command.
  private static Object instance(Class<?> command) {
    try {
      Constructor<?> constructor = command.getDeclaredConstructors()[0];
      constructor.setAccessible(true);
      return constructor.newInstance(
          Arrays.stream(constructor.getParameterTypes()).map(_ -> null).toArray());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(command.getName(), e);
    }
  }
}
