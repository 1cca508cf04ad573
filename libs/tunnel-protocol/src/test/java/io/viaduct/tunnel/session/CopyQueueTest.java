package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Bursts of 1000 bytes for a path of 800 kbit/s, which takes about 10 ms for each.
class CopyQueueTest {
  private static final long MS = 1_000_000;
  private static final int BURSTS = 40;
  private static final int BYTES = 1_000;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final VerdictCounters verdicts = new VerdictCounters();

  @AfterEach
  void everyBufferIsGivenBack() {
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private static final class Counting implements DatagramSink {
    int sent;

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segment, @Nullable InetSocketAddress to, long nowNs) {
      sent++;
      burst.release();
    }
  }

  @ParameterizedTest
  @CsvSource({"100, 9, 12", "500, 40, 40"})
  void aBurstWaitsForItsPathAsLongAsItIsOfUse(long waitMs, int least, int most) {
    CopyQueue queue =
        new CopyQueue(
            allocator,
            new Pacer(Pacing.of("800000"), 0),
            new PathBudget(new PathMtuSearch(1500)),
            new SessionTotals(),
            verdicts,
            waitMs * MS);
    for (int i = 0; i < BURSTS; i++) {
      queue.add(allocator.directBuffer(BYTES).writeZero(BYTES), BYTES, 0);
    }
    Counting sink = new Counting();
    for (long ms = 0; ms < 600; ms++) {
      queue.drain(sink, null, ms * MS);
    }
    assertThat(sink.sent).isBetween(least, most);
    assertThat(verdicts.of(Verdict.COPY_NOT_SENT)).isEqualTo(BURSTS - sink.sent);
    assertThat(queue.isEmpty()).isTrue();
  }
}
