package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.CompoundMemory;
import io.viaduct.tunnel.compound.CompoundReader;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.fragment.FragmentMemory;
import io.viaduct.tunnel.history.Digestion;
import io.viaduct.tunnel.history.HistoryMemory;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.scheduling.TimerLateness;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// What the sessions of one event loop share: byte arrays, cipher contexts, compressor, buffers of
/// restored packets. Belongs to that loop; a session of another loop must not use it.
public final class LoopMemory implements AutoCloseable {
  /// Largest run of datagrams in one buffer: what UDP_SEGMENT takes (65,507 bytes of UDP payload).
  static final int BURST_BYTES_MAX = 65_507;

  /// What the datagrams of the longest body take together; the socket cuts it once more.
  static final int BURST_CAPACITY =
      FragmentHeader.SEALED_BYTES_MAX + FragmentHeader.FRAGMENTS_MAX * FragmentHeader.LENGTH;

  /// Linux takes no more segments per call (UDP_MAX_SEGMENTS).
  static final int BURST_SEGMENTS_MAX = 64;

  /// Where a restored packet begins in its buffer.
  static final int IP_OFFSET = 16;

  static final int DATAGRAM_BYTES_MAX = 65_535;

  final ByteBufAllocator allocator;
  final RandomGenerator random;
  final HistoryMemory history;
  final CompoundMemory compounds = new CompoundMemory();
  final CompoundReader reader = new CompoundReader(compounds);
  final FlowKey key = new FlowKey();
  final byte[] body = new byte[DATAGRAM_BYTES_MAX];
  final byte[] sealed = new byte[FragmentHeader.SEALED_BYTES_MAX];
  final TimerLateness timerLateness = new TimerLateness();
  final FragmentMemory fragments = new FragmentMemory();

  /// A path message and its padding, which is zero.
  final byte[] padded = new byte[TunnelLimits.PATH_MTU_MAX];

  final ByteBuf packet;
  private final ByteBuf burst;
  final SegmentCoalescer coalescer;
  @Nullable FlowState[] touched = new FlowState[256];
  private final Function<AeadAlgorithm, Aead> ciphers;
  private final Map<AeadAlgorithm, Aead> aeads = new EnumMap<>(AeadAlgorithm.class);

  /// How long the datagrams at hand have waited in the socket.
  long waitedNs;

  /// @param allocator makes the bursts that go to the socket; pooled and direct in production
  /// @param random draws path challenges: a SecureRandom in production
  public LoopMemory(ByteBufAllocator allocator, RandomGenerator random) {
    this(allocator, random, Ciphers::fastest);
  }

  /// @param ciphers makes the cipher of an algorithm (a test may measure without one)
  public LoopMemory(
      ByteBufAllocator allocator, RandomGenerator random, Function<AeadAlgorithm, Aead> ciphers) {
    this(allocator, random, ciphers, Digestion.INLINE, () -> 0, HistoryMemory.BUDGET_BYTES);
  }

  /// @param digestion where dictionaries are made; inline in the other constructors
  /// @param nanoTime measures what codecs cost; without it the first guesses hold
  /// @param historyBudgetBytes what the histories of the loop may hold together
  public LoopMemory(
      ByteBufAllocator allocator,
      RandomGenerator random,
      Function<AeadAlgorithm, Aead> ciphers,
      Digestion digestion,
      LongSupplier nanoTime,
      long historyBudgetBytes) {
    this.allocator = allocator;
    this.random = random;
    this.ciphers = ciphers;
    this.history = new HistoryMemory(digestion, nanoTime, historyBudgetBytes);
    this.packet = allocator.directBuffer(IP_OFFSET + DATAGRAM_BYTES_MAX);
    this.burst = allocator.directBuffer(BURST_CAPACITY, BURST_CAPACITY);
    this.coalescer = new SegmentCoalescer(allocator);
  }

  Aead aead(AeadAlgorithm algorithm) {
    return aeads.computeIfAbsent(algorithm, ciphers);
  }

  /// A buffer for one run of datagrams; whoever gets it releases it. The same one again and again,
  /// unless its last user still holds it.
  ByteBuf rentBurst() {
    return burst.refCnt() == 1
        ? burst.clear().retain()
        : allocator.directBuffer(BURST_CAPACITY, BURST_CAPACITY);
  }

  /// Whether the loop's TUN takes UDP superpackets; unless told so it gets none.
  public void udpSuperpackets(boolean taken) {
    coalescer.udpSuperpackets(taken);
  }

  /// What the histories of the loop hold and count.
  public HistoryMemory history() {
    return history;
  }

  /// The loop tells it of each of its timers; compounds leave so much earlier.
  public TimerLateness timerLateness() {
    return timerLateness;
  }

  /// Gives the buffers back; no session may use it afterwards.
  @Override
  public void close() {
    packet.release();
    burst.release();
    history.close();
    coalescer.close();
  }

  /// The datagrams that are opened next have waited so long for this loop: that is not the path's
  /// delay, and pacing does not count it.
  public void waited(long ns) {
    waitedNs = ns;
  }
}
