package io.viaduct.testbed.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Start caches (JEP 514) that the services of one run write when they are stopped, one per module;
/// `bin/runtime.sh` names and uses them.
public final class StartCaches {
  /// Makes a service write no start cache.
  static final String NEVER = "VIADUCT_TRAIN=no";

  private final Path written;
  private final Path kept;
  private final Set<String> modules = new HashSet<>();

  /// Makes the directories.
  ///
  /// @param written private to the run
  /// @param root of the clone; the caches are kept in its `build/start`
  public StartCaches(Path written, Path root) throws IOException {
    this.written = Files.createDirectories(written);
    this.kept = Files.createDirectories(root.resolve("build/start"));
  }

  /// Returns the variable that makes a service write its cache. Only the first service of a module
  /// gets it.
  String environment(ServicePlan plan) {
    return modules.add(plan.module()) ? "VIADUCT_TRAIN=" + written : NEVER;
  }

  /// Moves the caches of ended services to the clone. Each appears complete or not at all, and
  /// replaces those of earlier builds.
  ///
  /// @return names of the files; none if every module already had its cache
  public List<String> keep() throws IOException {
    try (Stream<Path> files = Files.list(written)) {
      List<Path> caches = files.filter(file -> file.toString().endsWith(".aot")).sorted().toList();
      for (Path cache : caches) {
        String name = cache.getFileName().toString();
        Path copy =
            Files.copy(cache, kept.resolve(name + ".part"), StandardCopyOption.REPLACE_EXISTING);
        removeOthers(name.substring(0, name.lastIndexOf('-') + 1));
        Files.move(copy, kept.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
      return caches.stream().map(cache -> cache.getFileName().toString()).toList();
    }
  }

  private void removeOthers(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(kept)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith(prefix) && name.endsWith(".aot")) {
          Files.delete(file);
        }
      }
    }
  }
}
