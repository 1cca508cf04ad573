package io.viaduct.testbed.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Reads processor time and memory from `/proc` (proc(5)).
public final class ProcessUsage {
  private static final double TICKS_PER_SECOND = 100; // USER_HZ of Linux on x86 and ARM
  private static final int UTIME = 11; // index after the closing parenthesis of the name
  private static final int STIME = 12;
  private static final int IDLE = 4; // indexes in the line "cpu" of /proc/stat
  private static final int IOWAIT = 5;
  private static final int STEAL = 8;

  private ProcessUsage() {}

  /// Returns user and system time of the processes, with all their threads.
  public static double cpuSeconds(List<Long> ids) throws IOException {
    double ticks = 0;
    for (long id : ids) {
      String stat = Files.readString(Path.of("/proc", Long.toString(id), "stat"));
      String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      ticks += Long.parseLong(words[UTIME]) + Long.parseLong(words[STIME]);
    }
    return ticks / TICKS_PER_SECOND;
  }

  /// Returns the sum of the processes' resident memory, in MiB.
  public static double residentMib(List<Long> ids) throws IOException {
    double kib = 0;
    for (long id : ids) {
      kib +=
          Files.readAllLines(Path.of("/proc", Long.toString(id), "status")).stream()
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum();
    }
    return kib / 1024;
  }

  /// Returns the busy time of the whole machine, without time stolen by the hypervisor.
  public static double machineSeconds() throws IOException {
    long[] ticks = machine();
    long busy = Arrays.stream(ticks).limit(STEAL - 1).sum() - ticks[IDLE - 1] - ticks[IOWAIT - 1];
    return busy / TICKS_PER_SECOND;
  }

  /// Returns the time stolen by the hypervisor.
  public static double stolenSeconds() throws IOException {
    return machine()[STEAL - 1] / TICKS_PER_SECOND;
  }

  private static long[] machine() throws IOException {
    String[] words =
        Files.readString(Path.of("/proc/stat")).lines().findFirst().orElseThrow().split(" +");
    return Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray();
  }
}
