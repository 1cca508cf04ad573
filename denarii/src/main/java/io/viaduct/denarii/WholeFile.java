package io.viaduct.denarii;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Writes a file that appears only when it is complete. It does not replace a file.
final class WholeFile {
  private WholeFile() {}

  /// Writes the content of a file.
  @FunctionalInterface
  interface Content {
    void write(OutputStream out) throws IOException;
  }

  static void write(Path file, Content content) throws IOException {
    if (Files.exists(file)) {
      throw new FileAlreadyExistsException(
          file.toString(), null, "it exists: name another file, or delete it");
    }
    Path part = Path.of(file + ".part");
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part))) {
        content.write(out);
      }
      Files.move(part, file);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
