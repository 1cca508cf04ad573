package io.viaduct.billing.commandline;

import io.viaduct.billing.RunningBilling;
import io.viaduct.denarii.DenariiCommand;
import io.viaduct.denarii.Surroundings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// One run of `denarii` against a running billing.
///
/// @param code exit code
/// @param out standard output
/// @param err standard error
record CommandRun(int code, String out, String err) {
  /// A person at a terminal: what is kept in the home directory, and what is typed as a password.
  record Person(RunningBilling billing, Path home, String password, InstantSource clock) {
    CommandRun run(String... arguments) {
      return run(new StringWriter(), arguments);
    }

    /// Runs a command whose output is read while it runs.
    CommandRun run(StringWriter out, String... arguments) {
      StringWriter err = new StringWriter();
      var line =
          DenariiCommand.commandLine(
              new Surroundings(
                  Map.of("DENARII_BILLING", billing.uri("").toString()),
                  home,
                  ZoneOffset.UTC,
                  clock,
                  _ -> password));
      line.setOut(new PrintWriter(out, true));
      line.setErr(new PrintWriter(err, true));
      int code = line.execute(arguments);
      return new CommandRun(code, out.toString(), err.toString());
    }
  }

  CommandRun succeeds() {
    if (code != 0) {
      throw new AssertionError("exit code " + code + ": " + err + out);
    }
    return this;
  }

  JsonNode json() {
    return JsonMapper.shared().readTree(out);
  }

  List<JsonNode> jsonLines() {
    return out.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
  }
}
