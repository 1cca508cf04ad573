package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.wire.ServiceClass;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AllocationTest {
  // 0.4 s of the session: its choice of the codec has settled
  private static final int WARM_BATCHES = 20_000;
  private static final int BATCHES = 2_000;
  private ResourceLeakDetector.Level levelBefore = ResourceLeakDetector.Level.SIMPLE;

  /// Returns the bytes per datagram that a warm session allocates, with a cipher that allocates
  /// none.
  private static double garbagePerDatagram(
      ServiceClass serviceClass, byte[] packet, int gso, int count) {
    try (SpeedCheck check = new SpeedCheck(serviceClass, a -> new NullAead())) {
      ByteBuf buffer = SpeedCheck.buffer(packet);
      for (int i = 0; i < WARM_BATCHES; i++) {
        check.batch(buffer, packet.length, gso, count);
      }
      check.datagrams = 0;
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BATCHES; i++) {
        check.batch(buffer, packet.length, gso, count);
      }
      long garbage = threads.getCurrentThreadAllocatedBytes() - before;
      buffer.release();
      return (double) garbage / check.datagrams;
    }
  }

  private static double onAnEventLoopThread(java.util.function.DoubleSupplier measure)
      throws InterruptedException {
    double[] result = {Double.NaN};
    Thread thread = new FastThreadLocalThread(() -> result[0] = measure.getAsDouble());
    thread.start();
    thread.join();
    return result[0];
  }

  /// The leak detector allocates a record per buffer, which is not the session's garbage.
  @BeforeEach
  void withoutLeakDetection() {
    levelBefore = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void withLeakDetection() {
    ResourceLeakDetector.setLevel(levelBefore);
  }

  @Test
  void aWarmSessionMakesNoGarbage() throws InterruptedException {
    int gso = 1380;
    byte[] bulk = SpeedCheck.superpacket(gso * 47, false);
    byte[] text = SpeedCheck.superpacket(gso * 8, true);
    byte[] small = SpeedCheck.datagram(100);
    // The remaining garbage are FLOW_STATS records, once a second of the session's time.
    assertThat(onAnEventLoopThread(() -> garbagePerDatagram(ServiceClass.HT_HD, bulk, gso, 1)))
        .isLessThan(1);
    assertThat(onAnEventLoopThread(() -> garbagePerDatagram(ServiceClass.LT_LD, small, 0, 64)))
        .isLessThan(1);
    assertThat(onAnEventLoopThread(() -> garbagePerDatagram(ServiceClass.HT_HD, text, gso, 1)))
        .isLessThan(1);
  }
}
