package io.viaduct.snapt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// Creates directories for fuzz targets, in memory if possible. A durable write to a disk takes
/// thousands of times as long as the fuzzed code.
public final class FuzzFolder {
  private static final Path MEMORY = Path.of("/dev/shm");

  private FuzzFolder() {}

  /// Returns a new directory, which is deleted at the end of the process.
  public static Path make(String name) {
    try {
      Path made =
          Files.isWritable(MEMORY)
              ? Files.createTempDirectory(MEMORY, name)
              : Files.createTempDirectory(name);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Deletes a directory with its contents.
  public static void delete(Path folder) {
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path each : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
