package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.metering.ReportParts;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the log of open intervals over crashes. A crash is simulated by a log that is abandoned.
class IntervalLogTest {
  private static final UUID ALICE = new UUID(0, 1);
  private static final UUID BOB = new UUID(0, 2);
  private static final long NEVER = Long.MAX_VALUE / 8;

  @TempDir Path folder;
  private final ReportSigner signer = new ReportSigner("report", Ed25519.generate().getPrivate());
  private ReportSpool spool;
  private IntervalLog log;

  @BeforeEach
  void start() throws IOException {
    start(NEVER);
  }

  private int start(long compactBytesMin) throws IOException {
    spool = ReportSpool.open(folder.resolve("spool"), 1_000);
    log = IntervalLog.open(folder.resolve("intervals"), compactBytesMin);
    return log.recover(spool, signer);
  }

  static UsageReport report(UUID session, long sequence, FlowUsage... lines) {
    return UsageReport.newBuilder()
        .setSessionId(session.toString())
        .setEpoch(3)
        .setSequence(sequence)
        .setStartMs(1_000)
        .setEndMs(2_000)
        .addAllFlows(List.of(lines))
        .build();
  }

  static FlowUsage line(int flow, long bytes) {
    return FlowUsage.newBuilder()
        .setFlow(flow)
        .setUp(DirectionUsage.newBuilder().setPreBytes(bytes).setPostBytes(bytes / 2))
        .setDurationMs(1_000)
        .build();
  }

  private static UsageReport summed(UsageReport report, long pre, long post, boolean last) {
    return report.toBuilder().setPreBytes(pre).setPostBytes(post).setLast(last).build();
  }

  private List<UsageReport> spooled() throws IOException {
    List<UsageReport> reports = new ArrayList<>();
    Optional<ReportIdentity> next = spool.next(Optional.empty());
    while (next.isPresent()) {
      reports.add(UsageReport.parseFrom(spool.read(next.get()).getReport()));
      next = spool.next(next);
    }
    return reports;
  }

  private Path newest() throws IOException {
    try (var files = Files.list(folder.resolve("intervals"))) {
      return files.max((a, b) -> Long.compare(number(a), number(b))).orElseThrow();
    }
  }

  private static long number(Path file) {
    return Long.parseLong(file.getFileName().toString().replace(".log", ""));
  }

  private int files() throws IOException {
    try (var files = Files.list(folder.resolve("intervals"))) {
      return (int) files.count();
    }
  }

  private static void cut(Path file, int bytes) throws IOException {
    byte[] content = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(content, content.length - bytes));
  }

  @Test
  void theNewestLineOfEachFlowMakesOneReportPerInterval() throws Exception {
    log.append(
        TestUsage.list(report(ALICE, 0, line(1, 10), line(2, 20)), report(BOB, 4, line(1, 6))));
    log.append(TestUsage.list(report(ALICE, 0, line(2, 30))));
    assertThat(start(NEVER)).isEqualTo(2);
    assertThat(spooled())
        .containsExactlyInAnyOrder(
            summed(report(ALICE, 0, line(1, 10), line(2, 30)), 40, 20, true),
            summed(report(BOB, 4, line(1, 6)), 6, 3, true));
    assertThat(start(NEVER)).as("and once only").isZero();
    assertThat(files()).isEqualTo(1);
  }

  /// The bytes were made by hand from the drawing of [LogFrame] and the messages' numbers, so a
  /// change of the form is noticed here: an upgrade must not lose what a SNAPT keeps.
  @Test
  void logAndSpoolOfAnEarlierVersionAreRead() throws Exception {
    Path old = folder.resolve("old");
    Files.createDirectories(old.resolve("intervals"));
    Files.createDirectories(old.resolve("spool"));
    Files.write(
        old.resolve("intervals/7.log"),
        HexFormat.of()
            .parseHex(
                "00000001b34623a6020000003c0360ae1100122430303030303030302d303030302d303030302d303030302d"
                    + "303030303030303030303031180338e80740d00f520b08013a04080a100548e8070000003e2921ab68001224"
                    + "30303030303030302d303030302d303030302d303030302d3030303030303030303030321803200438e80740"
                    + "d00f520b08013a040806100348e80700000021a09b575e010000000000000000000000000000000200000000"
                    + "000000030000000000000004"));
    Files.write(
        old.resolve("spool/3-4-" + BOB + ".report"),
        HexFormat.of()
            .parseHex(
                "0a43122430303030303030302d303030302d303030302d303030302d30303030303030303030303218032004"
                    + "38e80740d00f520b08013a040806100348e80748015806600312097369676e61747572651a036f6c64"));
    spool = ReportSpool.open(old.resolve("spool"), 1_000);
    log = IntervalLog.open(old.resolve("intervals"), NEVER);
    assertThat(log.recover(spool, signer)).as("open intervals").isEqualTo(1);
    assertThat(spooled())
        .containsExactlyInAnyOrder(
            summed(report(ALICE, 0, line(1, 10)), 10, 5, true),
            summed(report(BOB, 4, line(1, 6)), 6, 3, true));
    assertThat(log.tornTails().sum()).isZero();
  }

  @Test
  void aFlowThatWasSilentAtTheEndLastedNoneTheLess() throws Exception {
    log.append(
        TestUsage.list(
            report(ALICE, 0, line(1, 10), line(2, 20).toBuilder().setEnded(true).build())));
    log.append(TestUsage.list(report(ALICE, 0, line(3, 1)).toBuilder().setEndMs(2_500).build()));
    start(NEVER);
    assertThat(spooled().getFirst().getFlowsList())
        .extracting(FlowUsage::getDurationMs)
        .containsExactly(1_500L, 1_000L, 1_000L);
  }

  @Test
  void aTornTailIsCutAndCountedAndWhatIsBeforeItStands() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    log.append(TestUsage.list(report(ALICE, 0, line(1, 99))));
    log.close();
    cut(newest(), 1);
    start(NEVER);
    assertThat(spooled()).containsExactly(summed(report(ALICE, 0, line(1, 10)), 10, 5, true));
    assertThat(log.tornTails().sum()).isEqualTo(1);
  }

  @Test
  void aDamagedRecordEndsTheFileWhateverItsLengthSays() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    log.close();
    for (int length : new int[] {0, -1, 1, 5, Integer.MAX_VALUE}) {
      byte[] rubbish = ByteBuffer.allocate(64).putInt(length).array();
      Files.write(newest(), rubbish, StandardOpenOption.APPEND);
      assertThat(LogFrame.read(ByteBuffer.wrap(Files.readAllBytes(newest()))))
          .as("length %d", length)
          .hasSize(2);
    }
    assertThat(start(NEVER)).isEqualTo(1);
  }

  @Test
  void aClosedIntervalIsOverAndTheNextOneIsNot() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    log.append(TestUsage.list(report(ALICE, 1, line(1, 3))));
    log.closed(ReportIdentity.of(report(ALICE, 0)));
    start(NEVER);
    assertThat(spooled()).containsExactly(summed(report(ALICE, 1, line(1, 3)), 3, 1, true));
  }

  @Test
  void onlyTheNewestOfASessionsIntervalsIsItsLast() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10)), report(ALICE, 1, line(1, 3))));
    start(NEVER);
    assertThat(spooled()).extracting(UsageReport::getLast).containsExactly(false, true);
  }

  @Test
  void theSpoolsReportStandsAgainstTheLogs() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    UsageReport whole = report(ALICE, 0, line(1, 15));
    spool.add(
        ReportIdentity.of(whole), signer.sign(whole, SignedSessionToken.getDefaultInstance()));
    assertThat(start(NEVER)).isZero();
    assertThat(spooled()).containsExactly(whole);
  }

  @Test
  void aCompactedLogSaysTheSameAndTheOldFileGoesWhenTheNewIsDurable() throws Exception {
    start(500);
    for (int i = 0; i <= 100; i++) {
      log.append(TestUsage.list(report(ALICE, 0, line(1, i)), report(BOB, i, line(1, i))));
      log.closed(ReportIdentity.of(report(BOB, i)));
    }
    assertThat(log.compactions().sum()).isPositive();
    assertThat(log.bytes()).isLessThan(1_500);
    assertThat(files()).isGreaterThan(1);
    log.force();
    assertThat(files()).isEqualTo(1);
    start(500);
    assertThat(spooled()).containsExactly(summed(report(ALICE, 0, line(1, 100)), 100, 50, true));
  }

  @Test
  void aCompactionThatWasCutIsReadTogetherWithTheFileBeforeIt() throws Exception {
    start(300);
    while (log.compactions().sum() == 0) {
      log.append(TestUsage.list(report(ALICE, 0, line(1, 8)), report(BOB, 0, line(1, 6))));
    }
    log.close();
    long size = Files.size(newest());
    for (int cut = 1; cut < size; cut++) {
      cut(newest(), 1);
      IntervalLog read = IntervalLog.open(folder.resolve("intervals"), 300);
      assertThat(read.size()).as("%d bytes cut", cut).isEqualTo(2);
      read.close();
    }
    start(300);
    assertThat(spooled()).hasSize(2);
  }

  @Test
  void anIntervalThatAnOldFileHoldsOpenIsOverIfTheNewOneDoesNotKnowIt() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    log.close();
    byte[] old = Files.readAllBytes(newest());
    Path name = newest();
    log.closed(ReportIdentity.of(report(ALICE, 0))); // begins a new file
    Files.write(name, old); // as a power failure leaves it
    assertThat(start(NEVER)).isZero();
  }

  @Test
  void afterAnErrorOfTheDiskANewFileHasAllThatIsOpen() throws Exception {
    log.append(TestUsage.list(report(ALICE, 0, line(1, 10))));
    log.close();
    Path aside = Files.move(folder.resolve("intervals"), folder.resolve("aside"));
    assertThatThrownBy(() -> log.append(TestUsage.list(report(ALICE, 0, line(2, 20)))))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(log::force).isInstanceOf(IOException.class);
    Files.move(aside, folder.resolve("intervals"));
    log.append(TestUsage.list(report(ALICE, 0, line(3, 30))));
    start(NEVER);
    assertThat(spooled().getFirst().getPreBytes()).isEqualTo(60);
  }

  @Test
  void anOpenIntervalOfVeryManyFlowsIsRecoveredInPartsWhateverTheOrderOfItsLines()
      throws IOException {
    int flows = ReportParts.LINES_MAX + 5;
    for (int flow = flows; flow > 0; flow--) {
      log.append(TestUsage.list(report(ALICE, 4, line(flow, 100))));
    }
    assertThat(start(NEVER)).isEqualTo(2);
    List<UsageReport> parts = spooled();
    assertThat(parts).extracting(UsageReport::getSequence).containsExactly(4L, 5L);
    assertThat(parts).extracting(UsageReport::getLast).containsExactly(false, true);
    assertThat(parts.get(0).getFlowsList())
        .extracting(FlowUsage::getFlow)
        .startsWith(1)
        .endsWith(ReportParts.LINES_MAX);
    assertThat(parts.get(1).getFlowsCount()).isEqualTo(5);
  }

  @Test
  void aDeathBetweenTwoPartsLeavesTheSecondToTheNextStart() throws IOException {
    UsageReport.Builder many = report(ALICE, 4).toBuilder();
    for (int flow = ReportParts.LINES_MAX + 5; flow > 0; flow--) {
      many.addFlows(line(flow, 100));
    }
    UsageReport whole = ReportParts.sum(many);
    log.append(TestUsage.list(whole));
    UsageReport first = ReportParts.of(whole).getFirst();
    spool.add(
        ReportIdentity.of(first), signer.sign(first, SignedSessionToken.getDefaultInstance()));
    assertThat(start(NEVER)).as("the second part").isEqualTo(1);
    assertThat(spooled().stream().mapToLong(UsageReport::getPreBytes).sum())
        .isEqualTo(whole.getPreBytes());
  }
}
