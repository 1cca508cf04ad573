package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/// A secret that the configuration names by file, so that the configuration itself can be read,
/// copied and shown. The text never appears in `toString`, a log or an exception.
public final class Secret {
  private static final Set<PosixFilePermission> FOREIGN =
      Set.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

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
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(path);
      for (PosixFilePermission right : FOREIGN) {
        if (rights.contains(right)) {
          throw new IllegalArgumentException(
              "secret file " + path + " must not be open to other users: chmod 600 " + path);
        }
      }
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

  /// The secret itself.
  public String reveal() {
    return text;
  }

  @Override
  public String toString() {
    return "(secret of " + file + ")";
  }
}
