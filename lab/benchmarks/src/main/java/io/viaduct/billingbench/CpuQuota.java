package io.viaduct.billingbench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A control group whose processes together get at most a share of one core. It is made below the
/// control group of this process: by the controller `cpu` of version 2 (`cpu.max`), or by that of
/// version 1 (`cpu.cfs_quota_us`). The kernel's period is short, so the processes run as on a
/// slower core and do not stand still for a tenth of a second.
///
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst and
/// Documentation/scheduler/sched-bwc.rst.
final class CpuQuota implements AutoCloseable {
  private static final int PERIOD_US = 20_000;
  private static final int QUOTA_MIN_US = 1_000; // the kernel's

  private final Path group;

  private CpuQuota(Path group) {
    this.group = group;
  }

  /// Makes a group.
  ///
  /// @param name unique among the groups of this process
  /// @param cores share of one core
  /// @throws IOException if this process may not make control groups
  static CpuQuota of(String name, double cores) throws IOException {
    Path parent =
        parent(
                Files.readAllLines(Path.of("/proc/self/mounts")),
                Files.readAllLines(Path.of("/proc/self/cgroup")))
            .orElseThrow(() -> new IOException("no controller 'cpu' of control groups is mounted"));
    return of(parent, "viaduct-%d-%s".formatted(ProcessHandle.current().pid(), name), cores);
  }

  static CpuQuota of(Path parent, String name, double cores) throws IOException {
    long quotaUs = Math.round(cores * PERIOD_US);
    if (quotaUs < QUOTA_MIN_US) {
      throw new IllegalArgumentException(
          "cores must be at least %s, got %s".formatted((double) QUOTA_MIN_US / PERIOD_US, cores));
    }
    Path children = parent.resolve("cgroup.subtree_control");
    boolean isVersion2 = Files.exists(children);
    if (isVersion2 && !hasCpu(children)) {
      Files.writeString(children, "+cpu");
    }
    CpuQuota quota = new CpuQuota(Files.createDirectory(parent.resolve(name)));
    if (isVersion2) {
      quota.write("cpu.max", quotaUs + " " + PERIOD_US);
    } else {
      quota.write("cpu.cfs_period_us", Integer.toString(PERIOD_US));
      quota.write("cpu.cfs_quota_us", Long.toString(quotaUs));
    }
    return quota;
  }

  /// Returns the control group of this process that has the controller `cpu`.
  ///
  /// @param mounts lines of `/proc/self/mounts`
  /// @param own lines of `/proc/self/cgroup`
  static Optional<Path> parent(List<String> mounts, List<String> own) {
    for (String line : mounts) {
      String[] mount = line.split(" "); // device, directory, type, options
      boolean isVersion2 = mount[2].equals("cgroup2");
      if (!isVersion2
          && !(mount[2].equals("cgroup") && List.of(mount[3].split(",")).contains("cpu"))) {
        continue;
      }
      for (String membership : own) {
        String[] parts = membership.split(":", 3); // hierarchy, controllers, path
        boolean isOurs =
            isVersion2
                ? parts[0].equals("0") && parts[1].isEmpty()
                : Arrays.asList(parts[1].split(",")).contains("cpu");
        Path directory = Path.of(mount[1], parts[2]);
        if (isOurs && (!isVersion2 || hasCpu(directory.resolve("cgroup.controllers")))) {
          return Optional.of(directory);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean hasCpu(Path controllers) {
    try {
      return List.of(Files.readString(controllers).strip().split(" ")).contains("cpu");
    } catch (IOException _) {
      return false;
    }
  }

  /// Limits a process with all of its threads. Its child processes of before stay unlimited.
  void limit(long pid) throws IOException {
    write("cgroup.procs", Long.toString(pid));
  }

  private void write(String file, String value) throws IOException {
    Files.writeString(group.resolve(file), value);
  }

  /// Removes the group, whose processes must have ended.
  @Override
  public void close() throws IOException {
    Files.delete(group);
  }
}
