package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Measures the wait for further packets on an idle link. No pattern of arrivals makes a packet
/// wait longer than the deadline of its class, 20 ms for low delay. A packet that no other packet
/// follows does not wait at all.
class AggregationDelayTest {
  private static final double MS = 1e6;
  private static final int PACKETS = 400;

  /// Pattern in which a flow's packets follow each other.
  private enum Pattern {
    STEADY,
    RANDOM,
    BURSTS;

    long gapNs(double meanNs, SplittableRandom random) {
      return (long)
          switch (this) {
            case STEADY -> meanNs;
            case RANDOM -> -meanNs * Math.log(1 - random.nextDouble());
            case BURSTS -> random.nextInt(5) == 0 ? 4.6 * meanNs : 0.1 * meanNs;
          };
    }
  }

  private final LoopbackRig rig = new LoopbackRig();

  /// Sends packets of one pattern. @return the longest time from the TUN device to the wire, ms
  private double longestMs(ServiceClass of, Pattern pattern, double gapMs, long seed) {
    var random = new SplittableRandom(seed);
    rig.serviceClass = of;
    double longest = 0;
    for (int sent = 0; sent < PACKETS; sent++) {
      byte[] payload = new byte[72];
      random.nextBytes(payload);
      BigEndian.putLong(payload, 0, rig.nowNs);
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(2000 + of.ordinal(), 1, 443), payload));
      rig.send(rig.agent);
      rig.deliver();
      longest = Math.max(longest, take());
      long next = rig.nowNs + pattern.gapNs(gapMs * MS, random);
      while (rig.nowNs < next) { // the rig has no timers of its own: stop at every deadline
        long due = Math.max(rig.nowNs + 1, Math.min(next, rig.agent.nextDeadlineNs()));
        rig.advance(due - rig.nowNs);
        longest = Math.max(longest, take());
      }
    }
    rig.advance(100_000_000);
    rig.atSnapt.clear();
    return longest;
  }

  private double take() {
    double longest = 0;
    for (LoopbackRig.Restored restored : rig.atSnapt) {
      longest = Math.max(longest, (rig.nowNs - BigEndian.getLong(restored.packet(), 28)) / MS);
    }
    rig.atSnapt.clear();
    return longest;
  }

  @Test
  void noPacketWaitsLongerThanTheDeadlineOfItsClass() {
    var random = new SplittableRandom(1);
    for (ServiceClass of : ServiceClass.values()) {
      double deadlineMs =
          TunnelSettings.defaults().classDeadlines().get(of.ordinal()).toNanos() / MS;
      for (Pattern pattern : Pattern.values()) {
        for (double gapMs : new double[] {0.3, 2, 9, 17, 23, 60}) {
          long seed = random.nextLong();
          assertThat(longestMs(of, pattern, gapMs, seed))
              .as("%s %s every %.1f ms, seed %d", of, pattern, gapMs, seed)
              .isLessThanOrEqualTo(deadlineMs + 0.001);
        }
      }
    }
    rig.close();
  }

  @Test
  void aPacketThatNoOtherFollowsDoesNotWait() {
    for (ServiceClass of : ServiceClass.values()) {
      assertThat(longestMs(of, Pattern.STEADY, 60, 1)).as("%s", of).isZero();
    }
    rig.close();
  }

  @Test
  void lowDelayMeansTwentyMilliseconds() {
    List<Duration> deadlines = TunnelSettings.defaults().classDeadlines();
    for (ServiceClass low : List.of(ServiceClass.LT_LD, ServiceClass.HT_LD)) {
      assertThat(deadlines.get(low.ordinal())).isLessThanOrEqualTo(Duration.ofMillis(20));
    }
  }
}
