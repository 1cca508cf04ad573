package io.viaduct.testbed.process;

import io.viaduct.testbed.topology.Laboratory;
import java.nio.file.Files;
import java.nio.file.Path;

/// The first process of namespaces, which [Unshared] has started.
public final class FirstProcess {
  private FirstProcess() {}

  /// The work of the process.
  public interface Work {
    /// @param clone with the packaged programs
    /// @param directory private to the run; its logs are kept
    void run(Path clone, Path directory) throws Exception;
  }

  /// Does the work, and ends the process.
  ///
  /// @param arguments the clone, and a directory for this run
  public static void run(String[] arguments, Work work) throws Exception {
    Path outer = Path.of(arguments[1]);
    Files.createDirectories(outer.resolve("lab"));
    Path directory = Laboratory.mountPrivate(outer);
    try {
      work.run(Path.of(arguments[0]), directory);
    } finally {
      Laboratory.keepLogs(directory, outer);
    }
    System.exit(0);
  }
}
