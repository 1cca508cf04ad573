package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests what is known of a path that only thin flows use. Each link has 25 ms each way.
class PathTrialsTest {
  private static final Endpoints CALL = Endpoints.ipv4(5000, 7, 40_000);

  private PathsRig rig = new PathsRig(1, 25);

  @AfterEach
  void close() {
    rig.close();
  }

  private void open(double bytesPerSecond) {
    rig.serviceClass = ServiceClass.HT_LD;
    rig.links.forEach(link -> link.bytesPerSecond = bytesPerSecond);
    rig.openAll();
    rig.advanceMs(2_000);
    rig.snapt.startSpare(rig.nowNs);
  }

  private void packets() {
    rig.send(rig.agent, PacketForge.udp(CALL, new byte[160]));
    rig.send(rig.snapt, PacketForge.udp(CALL.reversed(), new byte[160]));
  }

  private void call(int seconds) {
    for (int i = 0; i < 50 * seconds; i++) {
      packets();
      rig.advanceMs(20);
    }
  }

  private double capacityDown(double seconds) {
    return rig.snapt.spareBytesToPeer(rig.nowNs) / seconds;
  }

  private double capacityUp(double seconds) {
    return rig.snapt.spareBytesFromPeer(rig.nowNs) / seconds;
  }

  /// Bytes per second of a line, and the least share of it that must be known.
  @ParameterizedTest
  @CsvSource({"2500000, 0.8", "625000, 0.75", "125000, 0.7", "25000, 0.6"})
  void aCallAloneShowsWhatItsPathCarries(double line, double least) {
    open(line);
    call(10);
    double load = 10_000; // of the call, at most
    assertThat(capacityDown(10)).isBetween(least * line - load, line);
    assertThat(capacityUp(10)).isBetween(least * line - load, line);
  }

  @Test
  void aFewPacketsShowItToo() {
    open(2_500_000);
    packets();
    rig.advanceMs(300);
    packets();
    rig.advanceMs(700);
    assertThat(capacityDown(1)).isGreaterThan(2_000_000);
    assertThat(capacityUp(1)).isGreaterThan(2_000_000);
  }

  @Test
  void aSlowPathIsTriedByTwoDatagramsOnly() {
    open(25_000);
    int before = longDatagrams();
    call(60);
    assertThat(longDatagrams() - before).as("two in each direction").isEqualTo(4);
  }

  @Test
  void anIdlePathIsNotTried() {
    open(2_500_000);
    int before = rig.captured.size();
    rig.advanceMs(3 * 3_600_000L);
    assertThat(rig.captured.size() - before).isLessThanOrEqualTo(4);
    assertThat(longDatagrams()).as("of the searches for the path MTU").isLessThanOrEqualTo(6);
  }

  @Test
  void aTrialIsRepeatedOnceInFiftyMinutes() {
    open(2_500_000);
    int before = longDatagrams();
    for (int i = 0; i < 3 * 360; i++) {
      packets();
      rig.advanceMs(10_000);
    }
    assertThat(longDatagrams() - before).isBetween(3 * 2 * 42, 4 * 2 * 42);
  }

  @Test
  void aPathThatChangesAllTheTimeIsNotTriedAllTheTime() {
    open(2_500_000);
    int before = longDatagrams();
    for (int i = 0; i < 60; i++) {
      rig.agent.pathChanged(0);
      rig.snapt.pathChanged(0);
      rig.probeAll();
      rig.advanceMs(2_000);
      packets();
      rig.advanceMs(2_000);
    }
    int searches = 60 * 2 * 3;
    assertThat(longDatagrams() - before).isBetween(2 * 42, 4 * 2 * 42 + searches);
  }

  @Test
  void aSpareLinkIsNotTried() {
    rig.close();
    rig = new PathsRig(2, 25, 25);
    open(2_500_000);
    rig.use(1, PathUse.SPARE);
    rig.advanceMs(500);
    int up = rig.links.get(1).sentUp;
    int down = rig.links.get(1).sentDown;
    call(5);
    assertThat(rig.links.get(1).sentUp).isEqualTo(up);
    assertThat(rig.links.get(1).sentDown).isEqualTo(down);
  }

  @Test
  void theAnswerFromAnAddressThatIsNotBoundMeasuresNothing() {
    open(2_500_000);
    packets();
    rig.advanceMs(40); // the SNAPT has asked, and the question is on its way
    rig.links.getFirst().losesUp = true;
    int before = rig.captured.size();
    rig.advanceMs(20);
    for (byte[] each : List.copyOf(rig.captured.subList(before, rig.captured.size()))) {
      rig.receiveAtSnapt(each, new InetSocketAddress("203.0.113.9", 40_000));
    }
    assertThat(rig.captured.size()).isGreaterThan(before);
    assertThat(rig.snapt.ownRoundTripUs()).isNaN();
  }

  @Test
  void theSnaptKnowsTheRoundTripByItsOwnMeasurement() {
    open(2_500_000);
    assertThat(rig.snapt.ownRoundTripUs()).isNaN();
    call(11);
    assertThat(rig.snapt.ownRoundTripUs()).isCloseTo(50_000, within(3_000.0));
    assertThat(rig.agent.ownRoundTripUs()).isNaN();
    rig.links.getFirst().losesUp = true;
    rig.snapt.startSpare(rig.nowNs);
    for (int i = 0; i < 20; i++) {
      rig.links.getFirst().losesUp = i % 10 == 0; // half of the answers
      packets();
      rig.advanceMs(1_000);
    }
    assertThat(rig.snapt.ownRoundTripUs()).isGreaterThan(0);
  }

  private int longDatagrams() {
    return (int) rig.captured.stream().filter(each -> each.length > 1_400).count();
  }
}
