package io.viaduct.cnapt.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The intervals of a session, with a clock that the test moves.
class SessionReportsTest {
  private static final long T0 = 1_790_000_000_000L; // of the SNAPT's clock

  private final List<DeviceReport> made = new ArrayList<>();
  private long nowNs = 5;
  private long bytes;
  private final SessionReports reports =
      new SessionReports(
          new SessionReports.Session("snapt-1", "s", 7),
          12, // the device's clock is wrong
          () -> nowNs,
          report -> made.add(report.build()));

  @BeforeEach
  void open() {
    reports.tap().open(Runnable::run, this::take);
  }

  private List<DeviceFlow> take() {
    long taken = bytes;
    bytes = 0;
    return taken == 0
        ? List.of()
        : List.of(
            DeviceFlow.newBuilder()
                .setApplication("web")
                .setUpBytes(taken)
                .setDurationMs(3_600_000)
                .build());
  }

  private void carry(long carried, long seconds) {
    bytes += carried;
    nowNs += seconds * 1_000_000_000L;
  }

  private void boundary(long sequence, long fromSecond, long toSecond) {
    reports.boundary(
        IntervalBoundary.newBuilder()
            .setSequence(sequence)
            .setStartMs(T0 + 1_000 * fromSecond)
            .setEndMs(T0 + 1_000 * toSecond)
            .build());
  }

  @Test
  void anIntervalHasTheIdentityAndTheTimesOfItsBoundary() {
    carry(100, 60);
    boundary(0, 0, 60);
    boundary(0, 0, 60); // it is sent again at each connection
    carry(30, 5);
    boundary(1, 60, 65);
    assertThat(made)
        .extracting(DeviceReport::getSequence, each -> each.getFlows(0).getUpBytes())
        .containsExactly(
            org.assertj.core.api.Assertions.tuple(0L, 100L),
            org.assertj.core.api.Assertions.tuple(1L, 30L));
    DeviceReport first = made.getFirst();
    assertThat(first.getSnaptId()).isEqualTo("snapt-1");
    assertThat(first.getEpoch()).isEqualTo(7);
    assertThat(first.getStartMs()).isEqualTo(T0);
    assertThat(first.getEndMs()).isEqualTo(T0 + 60_000);
    assertThat(first.getFlows(0).getDurationMs()).as("at most the interval").isEqualTo(60_000);
    assertThat(first.getFlows(0).getFlow()).isEqualTo(1);
  }

  @Test
  void theEndOfASessionCutsOffAnIntervalWithTheNextNumber() {
    carry(100, 60);
    boundary(0, 0, 60);
    carry(40, 20);
    reports.tap().close();
    assertThat(made).hasSize(2);
    DeviceReport last = made.getLast();
    assertThat(last.getSequence()).isEqualTo(1);
    assertThat(last.getLast()).isTrue();
    assertThat(last.getStartMs()).isEqualTo(T0 + 60_000);
    assertThat(last.getEndMs()).isEqualTo(T0 + 80_000);
    carry(1, 1);
    boundary(1, 60, 80); // the SNAPT's own last boundary comes too late
    reports.tap().close();
    assertThat(made).hasSize(2);
  }

  @Test
  void anIntervalWhoseBoundaryComesLateGetsNoReport() {
    carry(100, 60);
    boundary(0, 0, 60);
    carry(200, 180); // no control connection for three intervals
    boundary(1, 60, 120);
    boundary(2, 120, 180);
    boundary(3, 180, 240);
    carry(50, 60);
    boundary(4, 240, 300);
    assertThat(made).extracting(DeviceReport::getSequence).containsExactly(0L, 4L);
    assertThat(made.getLast().getFlows(0).getUpBytes()).isEqualTo(50);
  }

  @Test
  void anIntervalWithoutBytesGetsNoReport() {
    carry(0, 60);
    boundary(0, 0, 60);
    reports.tap().close();
    assertThat(made).isEmpty();
  }

  @Test
  void aSilentEndIsReportedAsTenMinutesAtMost() {
    carry(100, 60);
    boundary(0, 0, 60);
    carry(10, 3_600);
    reports.tap().close();
    DeviceReport last = made.getLast();
    assertThat(last.getEndMs() - last.getStartMs()).isEqualTo(600_000);
  }
}
