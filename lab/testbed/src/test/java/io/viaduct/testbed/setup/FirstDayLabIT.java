package io.viaduct.testbed.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Follows `docs/operator.md` word for word, from a built checkout to the first packet through the
/// tunnel, with the packaged programs in namespaces. Then kills the programs.
class FirstDayLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));

  // The goal is 60 s on an idle machine; the suite's machine is busy.
  private static final double SECONDS_MAX = 180;

  @TempDir private Path directory;

  @Test
  void theManualsCommandsBringTheFirstPacketThroughTheTunnel() throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    assumeTrue(
        ends("unshare", "--user", "--map-root-user", "--net", "true"), "no user namespaces here");
    assumeTrue(
        ends("nft", "--version"), "nftables is missing: the relay's address would not be seen");
    Path log = Path.of("target", "first-day.log").toAbsolutePath();
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    int status = follow(log, temporary);
    String said = Files.readString(log);
    assertThat(status).as("see %s:%n%s", log, said).isZero();
    System.out.println("viaduct: first packet " + seconds(said) + " s after the first command");
    assertThat(said)
        .contains("the page answers 200")
        .contains("killed: cnapt-agent, danum-billing, ims-bridge, snapt-server, webgui");
    assertThat(temporary).as("no service leaves a file behind, even if killed").isEmptyDirectory();
    assertThat(seconds(said)).isLessThan(SECONDS_MAX);
  }

  private int follow(Path log, Path temporary) throws IOException, InterruptedException {
    var words =
        new ArrayList<>(
            List.of(
                "unshare",
                "--user",
                "--map-root-user",
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc"));
    words.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            FirstDay.class.getName(),
            ROOT.toString(),
            directory.toString()));
    var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.environment().put("VIADUCT_TRAIN", "no");
    builder.environment().put("TMPDIR", temporary.toString());
    Process laboratory = builder.start();
    laboratory.getOutputStream().close();
    try {
      return laboratory.waitFor(8, TimeUnit.MINUTES) ? laboratory.exitValue() : -1;
    } finally {
      laboratory.destroyForcibly();
    }
  }

  private static double seconds(String said) {
    Matcher first =
        Pattern.compile("first connection came out at \\S+ after ([0-9.]+) s").matcher(said);
    assertThat(first.find()).as(said).isTrue();
    return Double.parseDouble(first.group(1));
  }

  private static boolean ends(String... words) throws InterruptedException {
    try {
      return new ProcessBuilder(words).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
