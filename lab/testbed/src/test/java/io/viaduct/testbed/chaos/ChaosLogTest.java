package io.viaduct.testbed.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChaosLogTest {
  @TempDir private Path folder;

  @Test
  void aRunGoesOnBehindTheLastPointWhoseBillWasRight() throws IOException {
    Path file = folder.resolve("seed-1/points.log");
    assertThat(ChaosLog.lastBilled(file)).as("without an earlier run").isZero();
    var log = new ChaosLog(new PrintStream(OutputStream.nullOutputStream()), file, () -> 0);
    log.line("bill after point %d: ok", 20);
    log.line("bill after point %d: 3 reports missing", 40);
    log.line("point %3d  SIGKILL of billing", 41);
    assertThat(ChaosLog.lastBilled(file)).isEqualTo(20);
  }
}
