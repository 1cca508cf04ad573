package io.viaduct.setup;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

/// One run of the command line, in this process.
///
/// @param code exit code
/// @param out standard output
/// @param err standard error
record SetupRun(int code, String out, String err) {
  static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

  static SetupRun of(String... arguments) {
    return at(NOW, arguments);
  }

  static SetupRun at(Instant now, String... arguments) {
    var launcher = new Launcher(Path.of("/opt/viaduct"), Path.of("/opt/viaduct"));
    var line = SetupCommand.commandLine(InstantSource.fixed(now), launcher);
    var out = new StringWriter();
    var err = new StringWriter();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new SetupRun(code, out.toString(), err.toString());
  }
}
