package io.viaduct.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/// The end of `viaduct test`: the reasons for which tests were skipped, of reports as Surefire
/// writes them.
class SkipReasonsTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("viaduct.root")).resolve("bin/suite.sh");

  @TempDir private Path clone;

  private static String skipped(Runnable test) {
    TestAbortedException why = catchThrowableOfType(TestAbortedException.class, test::run);
    return "<testcase><skipped type=\"%s\"><![CDATA[%s%n\tat a.Test.b(Test.java:1)%n]]></skipped></testcase>%n"
        .formatted(why.getClass().getName(), why);
  }

  @Test
  void eachReasonIsPrintedWithTheNumberOfItsTests() throws Exception {
    Files.createFile(Files.createDirectories(clone.resolve("build")).resolve("testing"));
    Files.setLastModifiedTime(
        clone.resolve("build/testing"), FileTime.from(Instant.now().minusSeconds(60)));
    String missing = skipped(() -> assumeThat(false).as("skipped: Kamailio is missing").isTrue());
    Path reports = Files.createDirectories(clone.resolve("libs/one/target/surefire-reports"));
    Files.writeString(
        reports.resolve("TEST-a.xml"),
        missing + missing + skipped(() -> assumeTrue(false, "no nftables here")));
    Path other = Files.createDirectories(clone.resolve("two/target/surefire-reports"));
    Files.writeString(
        other.resolve("TEST-b.xml"),
        "<testcase><skipped message=\"void io.viaduct.T.t() is @Disabled\"/></testcase>\n");
    Process bash =
        new ProcessBuilder(
                List.of(
                    "bash",
                    "-c",
                    ". \"$1\"; root=$2; skip_reasons",
                    "-",
                    SCRIPT.toString(),
                    clone.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(said).isZero();
    assertThat(said.lines())
        .containsExactlyInAnyOrder(
            "  2 skipped: Kamailio is missing",
            "  1 skipped: no nftables here",
            "  1 skipped: void io.viaduct.T.t() is @Disabled");
  }
}
