package io.viaduct.cnapt.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.cnapt.usage.DeviceReports.Fate;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedSessionToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The way of a report from the session over the disk to the bridge.
class DeviceReportsTest {
  private static final long END_MS = 1_790_000_060_000L;

  @TempDir Path state;
  private final BlockingQueue<byte[]> sent = new LinkedBlockingQueue<>();
  private volatile ReportPublisher.Answer answer = ReportPublisher.Answer.TAKEN;
  private KeyPair key;
  private volatile Instant now = Instant.ofEpochMilli(END_MS);

  @BeforeEach
  void makeKey() throws Exception {
    key = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
  }

  private DeviceReports open() throws Exception {
    DeviceReports reports =
        DeviceReports.open(
            state,
            bytes -> SignedMessage.DEVICE_REPORT.sign(key.getPrivate(), bytes),
            report -> {
              sent.add(report);
              return CompletableFuture.completedFuture(answer);
            },
            () -> now,
            () -> 0);
    reports.token(
        SignedSessionToken.newBuilder()
            .setToken(
                SessionToken.newBuilder()
                    .setTokenId("t1")
                    .setAccount("alice")
                    .setIcid("icid-1")
                    .build()
                    .toByteString())
            .build()
            .toByteArray());
    return reports;
  }

  private static void report(DeviceReports to, long sequence) {
    SessionReports session = to.begin("snapt-1", "s-" + sequence, 7);
    session
        .tap()
        .open(
            Runnable::run,
            () -> List.of(DeviceFlow.newBuilder().setApplication("web").setUpBytes(10).build()));
    session.boundary(
        IntervalBoundary.newBuilder()
            .setSequence(sequence)
            .setStartMs(END_MS - 500)
            .setEndMs(END_MS)
            .build());
  }

  private long files() throws Exception {
    try (Stream<Path> files = Files.list(state.resolve("device-reports"))) {
      return files.count();
    }
  }

  @Test
  void aReportIsSignedWithTheAccountOfItsTokenAndDeletedWhenItIsTaken() throws Exception {
    try (DeviceReports reports = open()) {
      report(reports, 3);
      SignedDeviceReport signed = SignedDeviceReport.parseFrom(sent.poll(20, TimeUnit.SECONDS));
      DeviceReport content = DeviceReport.parseFrom(signed.getReport());
      assertThat(content.getAccount()).isEqualTo("alice");
      assertThat(content.getTokenId()).isEqualTo("t1");
      assertThat(content.getSequence()).isEqualTo(3);
      assertThat(
              SignedMessage.DEVICE_REPORT.isSignedBy(
                  key.getPublic(), signed.getReport(), signed.getSignature()))
          .isTrue();
      await().until(() -> reports.of(Fate.TAKEN) == 1 && reports.spooled() == 0);
      assertThat(files()).isZero();
    }
  }

  @Test
  void whatIsNotTakenSurvivesARestartAndGoesInOrder() throws Exception {
    answer = ReportPublisher.Answer.LATER;
    try (DeviceReports reports = open()) {
      report(reports, 1);
      report(reports, 2);
      await().until(() -> reports.spooled() == 2);
    }
    Files.writeString(state.resolve("device-reports/written"), "cut off by the end of the agent");
    sent.clear();
    answer = ReportPublisher.Answer.TAKEN;
    try (DeviceReports reports = open()) {
      report(reports, 3); // sends at once what is there
      await().until(() -> reports.of(Fate.TAKEN) == 3);
      assertThat(files()).isZero();
    }
    assertThat(sent.stream().map(DeviceReportsTest::sequence)).containsExactly(1L, 2L, 3L);
  }

  private static long sequence(byte[] signed) {
    try {
      return DeviceReport.parseFrom(SignedDeviceReport.parseFrom(signed).getReport()).getSequence();
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReportThatIsADayOldIsDeletedAndARefusedOneToo() throws Exception {
    answer = ReportPublisher.Answer.LATER;
    try (DeviceReports reports = open()) {
      report(reports, 1);
      await().until(() -> reports.spooled() == 1);
    }
    answer = ReportPublisher.Answer.REFUSED;
    try (DeviceReports reports = open()) {
      report(reports, 2);
      await().until(() -> reports.of(Fate.REFUSED) == 2 && reports.spooled() == 0);
      now = now.plusSeconds(86_401);
      report(reports, 3);
      await().until(() -> reports.of(Fate.EXPIRED) == 1 && reports.spooled() == 0);
    }
  }

  @Test
  void theOldestReportsGiveWay() throws Exception {
    ReportSpool spool = ReportSpool.open(state.resolve("small"), 2);
    for (int i = 0; i < 3; i++) {
      SignedDeviceReport report =
          SignedDeviceReport.newBuilder().setReport(ByteString.copyFromUtf8("r" + i)).build();
      assertThat(spool.add(report)).isEqualTo(i == 2 ? 1 : 0);
    }
    ReportSpool again = ReportSpool.open(state.resolve("small"), 2);
    assertThat(again.size()).isEqualTo(2);
    Long oldest = again.oldest();
    assertThat(oldest).isEqualTo(2);
    assertThat(again.read(2)).isNotNull();
    Files.writeString(
        state.resolve("small").resolve("%019d".formatted(2)), "rubbish, not a report");
    assertThat(again.read(2)).as("a broken file is deleted").isNull();
    assertThat(again.size()).isEqualTo(1);
  }
}
