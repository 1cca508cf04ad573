package io.viaduct.testbed.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Wall clocks of services, each of which can be set while its service runs. A namespace has no
/// wall clock of its own, so the library libfaketime (Debian's package `libfaketime`) answers the
/// calls for the time of day. Monotonic clocks stay those of the kernel.
public final class WallClocks {
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final String LIBRARY = "faketime/libfaketimeMT.so.1"; // below the architecture

  private final Path library;
  private final Path directory;

  private WallClocks(Path library, Path directory) {
    this.library = library;
    this.directory = directory;
  }

  /// Returns the clocks of a run; empty if the library is not installed.
  ///
  /// @param directory private to the run
  public static Optional<WallClocks> find(Path directory) throws IOException {
    try (Stream<Path> architectures = Files.list(LIBRARIES)) {
      return architectures
          .map(each -> each.resolve(LIBRARY))
          .filter(Files::isRegularFile)
          .findFirst()
          .map(library -> new WallClocks(library, directory));
    }
  }

  private Path file(String service) {
    return directory.resolve(service + ".clock");
  }

  /// Sets the clock of a service. The service notices it within two seconds.
  ///
  /// @param ahead of the true time; negative if it is behind
  public void set(String service, Duration ahead) throws IOException {
    Path next = directory.resolve(service + ".clock.next");
    Files.writeString(next, "%+d".formatted(ahead.toSeconds()));
    Files.move(next, file(service), StandardCopyOption.ATOMIC_MOVE); // it is read at any time
  }

  /// Returns the beginning of a command line that gives a service its clock, which is right at
  /// first.
  List<String> prefix(String service) throws IOException {
    set(service, Duration.ZERO);
    return List.of(
        "env",
        "LD_PRELOAD=" + library,
        "FAKETIME_TIMESTAMP_FILE=" + file(service),
        "FAKETIME_CACHE_DURATION=1",
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "FAKETIME_FORCE_MONOTONIC_FIX=0", // with it, timed waits of the JVM return at once
        "NO_FAKE_STAT=1"); // times of files stay true: Java compares them with its caches
  }
}
