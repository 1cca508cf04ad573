package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.session.LoopbackRig;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Compares the device's counts with the SNAPT's, over two real sessions and a lossy line.
class SessionCounterTest {
  private static final PacketForge.Endpoints UP = PacketForge.Endpoints.ipv4(40_000, 9, 443);
  private final Random random = new Random(42);
  private final SessionCounts counts = SessionCounts.inMemory();
  private LoopbackRig rig;
  private SessionCounter counter;

  @BeforeEach
  void open() {
    rig = new LoopbackRig();
    counter = new SessionCounter(rig.agent, counts, rig.nowNs);
    rig.open(PacketForge.udp(UP, payload(100, true)));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] payload(int bytes, boolean compressible) {
    byte[] payload = new byte[bytes];
    if (compressible) {
      Arrays.fill(payload, (byte) 'x');
    } else {
      random.nextBytes(payload);
    }
    return payload;
  }

  private void down(int packets, int bytes, boolean compressible, int lossPercent) {
    for (int i = 0; i < packets; i++) {
      rig.offer(rig.snapt, PacketForge.udp(UP.reversed(), payload(bytes, compressible)));
      rig.send(rig.snapt);
      rig.down.removeIf(_ -> random.nextInt(100) < lossPercent);
      rig.deliver();
      rig.advance(1_000_000);
      counter.note(rig.nowNs);
    }
  }

  private long sentBySnapt() {
    long sum = 0;
    for (ServiceClass each : ServiceClass.values()) {
      sum += rig.snapt.totals().sent(each).preBytes();
    }
    return sum;
  }

  @Test
  void withoutLossBothEndsCountTheSame() {
    down(500, 1_000, false, 0);
    assertThat(counts.down()).isEqualTo(sentBySnapt());
    assertThat(counts.recentLost()).isZero();
    assertThat(counts.up())
        .isEqualTo(rig.snapt.totals().received(ServiceClass.HT_HD).preBytes())
        .isPositive();
  }

  @Test
  void withThirtyPercentLossTheEstimateIsWhatTheSnaptSent() {
    down(3_000, 1_000, false, 30);
    assertThat(counts.down()).isLessThan(sentBySnapt() * 8 / 10);
    assertThat(counts.down() + counts.recentLost())
        .isCloseTo(sentBySnapt(), Percentage.withPercentage(4));
  }

  @Test
  void lossOfLargePacketsAfterManySmallOnesIsEstimatedAsLarge() {
    down(3_000, 40, false, 0);
    down(1_000, 1_300, false, 30);
    assertThat(counts.down() + counts.recentLost())
        .isCloseTo(sentBySnapt(), Percentage.withPercentage(4));
  }

  @Test
  void whatCompressesWellIsEstimatedByItsInnerBytes() {
    down(3_000, 1_200, true, 30);
    assertThat(counts.down() + counts.recentLost())
        .isCloseTo(sentBySnapt(), Percentage.withPercentage(4));
  }

  @Test
  void lossOfMoreThanEightSecondsAgoIsForgotten() {
    down(500, 1_000, false, 30);
    assertThat(counts.recentLost()).isPositive();
    rig.advance(10_000_000_000L);
    counter.note(rig.nowNs);
    down(500, 1_000, false, 0);
    assertThat(counts.recentLost()).isZero();
  }

  @Test
  void theRecentBytesAreThoseOfTheLastSeconds() {
    down(500, 1_000, false, 0);
    long first = counts.down();
    rig.advance(20_000_000_000L);
    counter.note(rig.nowNs);
    down(100, 1_000, false, 0);
    assertThat(counts.recentDown()).isEqualTo(counts.down() - first);
    rig.advance(20_000_000_000L);
    counter.note(rig.nowNs);
    counter.note(rig.nowNs);
    assertThat(counts.recentDown()).isZero();
  }
}
