package io.viaduct.denarii;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;

/// The world around a command line.
///
/// @param variables environment variables
/// @param home the user's home directory
/// @param zone time zone of printed times
/// @param clock time of the expiry of a log-in
/// @param password asks the user for a password
public record Surroundings(
    Map<String, String> variables, Path home, ZoneId zone, InstantSource clock, Prompt password) {
  /// Asks for a secret that the terminal does not show.
  public interface Prompt {
    /// Returns what the user typed.
    ///
    /// @throws IOException if there is no terminal
    String ask(String question) throws IOException;
  }

  /// Returns those of this process.
  static Surroundings ofProcess() {
    return new Surroundings(
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        ZoneId.systemDefault(),
        InstantSource.system(),
        question -> {
          Console console = System.console();
          if (console == null || !console.isTerminal()) {
            throw new IOException(
                "there is no terminal to ask for a password: use --password-file");
          }
          return new String(Objects.requireNonNull(console.readPassword("%s", question)));
        });
  }

  /// Returns a variable, or another value if it is not set.
  String variable(String name, String otherwise) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  /// Returns the file in which a log-in is kept unless an option names another one.
  Path loginFile() {
    return Path.of(variable("XDG_CONFIG_HOME", home.resolve(".config").toString()))
        .resolve("denarii")
        .resolve("login.json");
  }
}
