package io.viaduct.testbed.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [NamedDay] in namespaces of its own, with the packaged programs.
class NamesLabIT {
  @TempDir private Path directory;

  @Test
  void aDeviceWhoseResolverDiesWithItsLinkGoesOnAndSoDoTheLookUpsOfItsApplications()
      throws Exception {
    assumeTrue(UnsharedRun.succeeds("getent", "hosts", "localhost"), "getent (glibc) is missing");
    String said = UnsharedRun.of(NamedDay.class, "names", directory, Map.of());
    assertThat(said)
        .contains("application: 192.0.2.1\n", "file: # nameserver 203.0.113.80\n")
        .contains("agent asked A for the bridge: [10.71.1.2]\n")
        .containsPattern("agent asked A for the SNAPT: \\[.*10\\.71\\.1\\.2]\n")
        .contains("agent asked inside: false\n")
        .contains("after the hand-over the socket says: x\n")
        .contains("application after the hand-over: 192.0.2.2\n")
        .contains("agent asked B for the bridge: [10.71.2.2]\n")
        .contains("after SIGKILL the socket says: x\n")
        .contains("application after SIGKILL: 192.0.2.3\n")
        .contains("agent asked B for the SNAPT: [10.71.2.2]\n")
        .containsPattern("reload: .*configuration, applications: .*: applied\n")
        .contains("after the reload the socket says: x\n")
        .contains("stopped with: 0\n", "file afterwards: nameserver 10.72.2.53\n")
        .contains("rules afterwards: false\n");
    assertThat(said)
        .containsPattern("password: .*check the password in signalling.password-file")
        .containsPattern("user: .*signalling.password-file, then signalling.user")
        .containsPattern("domain: .*check signalling.domain and signalling.user");
    for (String line : List.of("asked inside by: ", "asked inside after the hand-over by: ")) {
      assertThat(said)
          .as("out of the SNAPT, not of a gateway")
          .containsPattern(line + "\\[(203\\.0\\.113\\.21|10\\.201\\.[0-9.]+)\\]\n");
    }
  }
}
