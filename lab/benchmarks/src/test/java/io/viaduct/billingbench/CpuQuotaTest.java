package io.viaduct.billingbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuQuotaTest {
  @TempDir private Path parent;

  @Test
  void aGroupOfVersion2GetsTheControllerAndItsQuotaAndPeriod() throws Exception {
    Files.writeString(parent.resolve("cgroup.subtree_control"), "cpuset memory\n");
    CpuQuota.of(parent, "one", 0.25).limit(77);
    assertThat(parent.resolve("cgroup.subtree_control")).hasContent("+cpu");
    assertThat(parent.resolve("one/cpu.max")).hasContent("5000 20000");
    assertThat(parent.resolve("one/cgroup.procs")).hasContent("77");
  }

  @Test
  void aGroupOfVersion1GetsQuotaAndPeriod() throws Exception {
    CpuQuota.of(parent, "one", 0.25).limit(77);
    assertThat(parent.resolve("one/cpu.cfs_quota_us")).hasContent("5000");
    assertThat(parent.resolve("one/cpu.cfs_period_us")).hasContent("20000");
    assertThat(parent.resolve("one/cgroup.procs")).hasContent("77");
  }

  @Test
  void aShareBelowTheKernelsLeastQuotaIsRefused() {
    assertThatThrownBy(() -> CpuQuota.of(parent, "one", 0.01))
        .hasMessage("cores must be at least 0.05, got 0.01");
  }

  @Test
  void theGroupOfThisProcessIsFoundInBothVersions() throws Exception {
    Path session = Files.createDirectories(parent.resolve("session"));
    String version2 = "cgroup2 %s cgroup2 rw,relatime 0 0".formatted(parent);
    List<String> own = List.of("3:cpuset:/other", "2:cpu,cpuacct:/session", "0::/session");
    Files.writeString(session.resolve("cgroup.controllers"), "memory hugetlb\n");
    assertThat(CpuQuota.parent(List.of(version2), own)).isEmpty();
    Files.writeString(session.resolve("cgroup.controllers"), "cpuset cpu memory\n");
    assertThat(CpuQuota.parent(List.of(version2), own)).contains(session);
    assertThat(
            CpuQuota.parent(
                List.of(
                    "cgroup /c/cpuset cgroup rw,cpuset 0 0",
                    "cgroup /c/cpu cgroup rw,cpu,cpuacct 0 0"),
                own))
        .contains(Path.of("/c/cpu/session"));
  }
}
