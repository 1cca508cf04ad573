package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Reads resident memory from `/proc` (proc(5)).
public final class ResidentMemory {
  private ResidentMemory() {}

  /// Returns the sum over the processes, in MiB.
  public static double mib(List<Long> ids) throws IOException {
    double kib = 0;
    for (long id : ids) {
      kib +=
          Files.readString(Path.of("/proc", Long.toString(id), "status"))
              .lines()
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum();
    }
    return kib / 1024;
  }
}
