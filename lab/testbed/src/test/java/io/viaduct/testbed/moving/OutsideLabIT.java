package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.viaduct.host.cgroup.ControlGroupException;
import io.viaduct.host.cgroup.ControlGroups;
import io.viaduct.host.cgroup.MarkProgram;
import io.viaduct.testbed.process.UnsharedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [OutsideDay] in namespaces of its own, with the packaged programs, as root of the host: a BPF
/// program cannot be loaded in a user namespace.
class OutsideLabIT {
  @TempDir private Path directory;

  @BeforeEach
  void needsBpfAndControlGroups() throws IOException {
    try (MarkProgram _ = MarkProgram.load(1)) {
      ControlGroups all = ControlGroups.mounted().orElseThrow(ControlGroupException::notMounted);
      if (!Files.isWritable(all.root())) {
        skip(all.root() + " is not writable");
      }
    } catch (ControlGroupException e) {
      skip(e.getMessage());
    }
  }

  private static void skip(String reason) {
    System.out.println("skipped: " + reason);
    abort(reason);
  }

  @Test
  void processesOfControlGroupsStayOutsideAndAllOthersInTheTunnel() throws Exception {
    String said = UnsharedRun.asRoot(OutsideDay.class, "outside", directory);
    System.out.println(said);
    assertThat(said)
        .contains("tunnelled: 100.96.0.2 connected\n")
        .contains("tunnelled over IPv6: fd76:6961:6475:6374:0:0:0:2\n")
        .contains("own group before: false\n")
        .contains("outside: 10.71.1.2 connected\n")
        .contains("outside over IPv6: 2001:db8:71:1:0:0:0:2 connected\n")
        .contains("exit code: 7\n", "exit code of none: 127\n")
        .contains("moved: 10.71.1.2 connected\n")
        .contains("awaited: true\n", "processes told: 1\n", "status has the group: true\n")
        .contains("configured: 10.71.1.2 connected\n")
        .contains("configured over IPv6: 2001:db8:71:1:0:0:0:2 connected\n")
        .contains("programs at the group: 1\n")
        .contains("after SIGKILL: 10.71.1.2 connected\n")
        .contains("tunnelled after SIGKILL: 100.96.0.2 connected\n")
        .contains("programs after SIGKILL: 1\n")
        .contains("stopped with: 0\n", "programs afterwards: 0\n", "own group afterwards: false\n")
        .contains("rules afterwards: false\n");
  }
}
