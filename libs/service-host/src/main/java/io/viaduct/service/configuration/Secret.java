package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A secret in a file that the configuration names, so that the configuration itself contains no
/// secret. The text never appears in `toString`, a log or an exception.
public final class Secret {
  private final Path file;
  private final String text;

  private Secret(Path file, String text) {
    this.file = file;
    this.text = text;
  }

  /// Reads the first line of a file.
  ///
  /// @throws IllegalArgumentException if the file is unreadable, empty, or open to other users
  @JsonCreator
  public static Secret of(String file) {
    Path path = Path.of(file);
    try {
      PrivateFile.require(path);
      String line = Files.readString(path).lines().findFirst().orElse("").strip();
      if (line.isEmpty()) {
        throw new IllegalArgumentException(
            "secret file " + path + " must hold one line of text, is empty");
      }
      return new Secret(path, line);
    } catch (IOException e) {
      throw new IllegalArgumentException("secret file " + path + " " + Unreadable.why(path, e), e);
    }
  }

  /// Returns the file that holds the secret.
  public Path file() {
    return file;
  }

  /// Returns the secret.
  public String reveal() {
    return text;
  }

  @Override
  public String toString() {
    return "(secret of " + file + ")";
  }
}
