package io.viaduct.snapt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// Where a fuzz target keeps files: in memory if the machine has a place for that, because what is
/// durable on a disk takes thousands of times as long as what is fuzzed.
public final class FuzzFolder {
  private static final Path MEMORY = Path.of("/dev/shm");

  private FuzzFolder() {}

  /// A new one, which goes when the process ends.
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

  /// Deletes it with all that is in it.
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
