package io.viaduct.testbed.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [NamedDay] in namespaces of its own, with the packaged programs.
class NamesLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));

  @TempDir private Path directory;

  @Test
  void aDeviceWhoseResolverDiesWithItsLinkGoesOnAndSoDoTheLookUpsOfItsApplications()
      throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    assumeTrue(
        ends("unshare", "--user", "--map-root-user", "--net", "--mount", "true"),
        "no user namespaces here");
    assumeTrue(ends("getent", "hosts", "localhost"), "getent (glibc) is missing");
    Path log = Path.of("target", "names.log").toAbsolutePath();
    int status = run(log);
    String said = Files.readString(log);
    assertThat(status).as("see %s:%n%s", log, said).isZero();
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

  private int run(Path log) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(
                "unshare",
                "--user",
                "--map-root-user",
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                NamedDay.class.getName(),
                ROOT.toString(),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.environment().put("VIADUCT_TRAIN", "no");
    Process laboratory = builder.start();
    laboratory.getOutputStream().close();
    try {
      return laboratory.waitFor(8, TimeUnit.MINUTES) ? laboratory.exitValue() : -1;
    } finally {
      laboratory.destroyForcibly();
    }
  }

  private static boolean ends(String... words) throws InterruptedException {
    try {
      return new ProcessBuilder(words).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
