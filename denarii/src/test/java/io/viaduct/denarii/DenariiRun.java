package io.viaduct.denarii;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;

/// One run of the command line, in this process.
///
/// @param code exit code
/// @param out standard output
/// @param err standard error
record DenariiRun(int code, String out, String err) {
  static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

  static DenariiRun of(Path home, Map<String, String> variables, String... arguments) {
    var line =
        DenariiCommand.commandLine(
            new Surroundings(
                variables, home, ZoneOffset.UTC, InstantSource.fixed(NOW), question -> "secret"));
    var out = new StringWriter();
    var err = new StringWriter();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new DenariiRun(code, out.toString(), err.toString());
  }
}
