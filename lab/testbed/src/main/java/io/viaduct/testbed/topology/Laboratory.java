package io.viaduct.testbed.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/// The private file system of a run.
public final class Laboratory {
  private Laboratory() {}

  /// Mounts a tmpfs over `<outer>/lab` that only the laboratory sees. Its files disappear with the
  /// laboratory's last process.
  public static Path mountPrivate(Path outer) {
    Path directory = outer.resolve("lab");
    Command.run("mount", "-t", "tmpfs", "-o", "size=2g,mode=700", "tmpfs", directory.toString());
    return directory;
  }

  /// Copies logs and configuration files, which hold no secret, to a directory that outlives the
  /// run.
  public static void keepLogs(Path directory, Path target) throws IOException {
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Laboratory::isKept).toList()) {
        Files.copy(file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static boolean isKept(Path file) {
    return file.toString().endsWith(".log") || file.toString().endsWith(".yml");
  }
}
