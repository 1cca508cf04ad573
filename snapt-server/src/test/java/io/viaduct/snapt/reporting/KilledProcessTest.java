package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.UsageReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/// Tests a real process that is killed by SIGKILL during its work.
class KilledProcessTest {
  private static final UUID SESSION = new UUID(0, 1);
  private static final String TAKEN = "taken ";
  private static final int TAKEN_MIN = 2_017;
  private static final int STEPS_PER_INTERVAL = 40;

  @TempDir Path folder;

  /// Counts up, and prints each count after the log has stored it.
  public static final class Victim {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      ReportSigner signer = new ReportSigner("report", Ed25519.generate().getPrivate());
      ReportSpool spool = ReportSpool.open(folder.resolve("spool"), 1_000_000);
      IntervalLog log = IntervalLog.open(folder.resolve("log"), 4_000);
      log.recover(spool, signer);
      var reporting =
          new UsageReporting(
              spool,
              log,
              signer,
              new ReportSender(spool, TestUsage.noReceipts(spool), 8),
              TestUsage.noReceipts(spool),
              Executors.newSingleThreadExecutor());
      Thread settling =
          new Thread(() -> {
            while (true) {
              reporting.settle(System.currentTimeMillis());
            }
          });
      settling.setDaemon(true);
      settling.start();
      for (long count = 1; ; count++) {
        long told = count;
        reporting.progress(
            TestUsage.list(report(count)),
            () -> {
              System.out.println(TAKEN + told);
              if (System.out.checkError()) {
                Runtime.getRuntime().halt(1); // the test has ended
              }
            });
        if (count % STEPS_PER_INTERVAL == 0) {
          reporting.close(TestUsage.of(report(count)), () -> {});
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
    }
  }

  private static UsageReport report(long count) {
    long sequence = (count - 1) / STEPS_PER_INTERVAL;
    return IntervalLogTest.report(SESSION, sequence, IntervalLogTest.line(1, count));
  }

  @RepeatedTest(3)
  void nothingThatTheLogHasTakenIsLostAndEachIntervalHasOneReport() throws Exception {
    Process victim =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long said = 0;
    try (BufferedReader words = victim.inputReader()) {
      String word = words.readLine();
      while (word != null) {
        if (word.startsWith(TAKEN) && word.length() > TAKEN.length()) {
          // A line that was cut off contains a smaller number.
          said = Math.max(said, Long.parseLong(word.substring(TAKEN.length())));
        }
        if (said >= TAKEN_MIN) {
          victim.toHandle().destroyForcibly(); // its output can still be read
        }
        word = words.readLine();
      }
    } finally {
      victim.destroyForcibly();
    }
    assertThat(victim.waitFor()).as("by SIGKILL").isEqualTo(128 + 9);

    ReportSpool spool = ReportSpool.open(folder.resolve("spool"), 1_000_000);
    IntervalLog log = IntervalLog.open(folder.resolve("log"), 4_000);
    log.recover(spool, new ReportSigner("report", Ed25519.generate().getPrivate()));
    Map<Long, Long> bytes = bytesBySequence(spool);
    long lastSequence = (said - 1) / STEPS_PER_INTERVAL;
    for (long sequence = 0; sequence < lastSequence; sequence++) {
      assertThat(bytes.get(sequence))
          .as("interval %d", sequence)
          .isEqualTo((sequence + 1) * STEPS_PER_INTERVAL);
    }
    assertThat(bytes.get(lastSequence)).isGreaterThanOrEqualTo(said);
  }

  private static Map<Long, Long> bytesBySequence(ReportSpool spool) throws IOException {
    Map<Long, Long> bytes = new HashMap<>();
    Optional<ReportIdentity> next = spool.next(Optional.empty());
    while (next.isPresent()) {
      UsageReport report = UsageReport.parseFrom(spool.read(next.get()).getReport());
      long counted = report.getFlows(0).getUp().getPreBytes();
      assertThat(bytes.put(report.getSequence(), counted)).isNull();
      next = spool.next(next);
    }
    return bytes;
  }
}
