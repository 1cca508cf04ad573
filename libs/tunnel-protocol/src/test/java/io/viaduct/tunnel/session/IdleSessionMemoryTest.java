package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.Verdict;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Measures the memory of a SNAPT's session that was opened, answered a probe and is then idle.
/// `viaduct bench sessions` measures the whole of an idle session, with TLS and the session's
/// accounts.
class IdleSessionMemoryTest {
  private static final int SESSIONS = 2_000;
  private static final int BYTES_MAX = 10 * 1024; // it was 7.3 KiB when this test was written
  private static final long NOW_NS = 1_000_000_000;
  private static final InetSocketAddress DEVICE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 4_000);

  /// One for all sessions, as in a SNAPT.
  private final TunnelSettings settings = TunnelSettings.defaults();

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final LoopMemory memory = new LoopMemory(allocator, new SplittableRandom(1));

  private TunnelSession session(TunnelRole role, int number) {
    byte[] secret = new byte[32];
    secret[0] = (byte) number;
    secret[1] = (byte) (number >>> 8);
    return new TunnelSession(
        role,
        TestSettings.terms(AeadAlgorithm.AES_256_GCM, SessionSecret.of(secret), number),
        settings,
        memory,
        FlowListener.SILENT,
        PathListener.SILENT,
        NOW_NS);
  }

  private record ToSession(TunnelSession session) implements DatagramSink {
    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      Verdict verdict = session.open(burst, 0, burst.readableBytes(), DEVICE, (_, _) -> {}, NOW_NS);
      assertThat(verdict).isEqualTo(Verdict.ACCEPTED);
      session.openBatchEnd(NOW_NS);
      burst.release();
    }
  }

  private TunnelSession idle(int number) {
    TunnelSession snapt = session(TunnelRole.SNAPT, number);
    try (TunnelSession agent = session(TunnelRole.AGENT, number)) {
      agent.probe(0, Carrier.UDP, NOW_NS);
      agent.drain(new ToSession(snapt), NOW_NS);
      snapt.onTick(NOW_NS);
      snapt.drain(new ToSession(agent), NOW_NS);
    }
    return snapt;
  }

  private static long heldBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void anIdleSessionHoldsAFewKibibytesAndNoBufferOfItsOwn() {
    List<TunnelSession> sessions = new ArrayList<>(SESSIONS);
    idle(0).close(); // loads classes, and makes the objects that all sessions share
    long directBefore = allocator.metric().usedDirectMemory();
    long before = heldBytes();
    for (int number = 1; number <= SESSIONS; number++) {
      sessions.add(idle(number));
    }
    long each = (heldBytes() - before) / SESSIONS;
    System.out.println("an idle session holds " + each + " bytes");
    assertThat(each).isBetween(500L, (long) BYTES_MAX);
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(directBefore);
    sessions.forEach(TunnelSession::close);
    memory.close();
  }
}
