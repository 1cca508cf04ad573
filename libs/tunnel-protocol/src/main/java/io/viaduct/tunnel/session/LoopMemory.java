package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.CompoundMemory;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.fragment.FragmentMemory;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.restore.RestoreMemory;
import io.viaduct.tunnel.scheduling.TimerLateness;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Holds the objects that the sessions of one event loop share: byte arrays, cipher contexts,
/// compressor, buffers of restored packets. Only sessions of that loop may use it.
public final class LoopMemory implements AutoCloseable {
  /// Largest run of datagrams in one buffer: the limit of UDP_SEGMENT (65,507 bytes of UDP
  /// payload).
  static final int BURST_BYTES_MAX = 65_507;

  /// Room for the datagrams of the longest body; the socket splits them once more.
  static final int BURST_CAPACITY =
      FragmentHeader.SEALED_BYTES_MAX + FragmentHeader.FRAGMENTS_MAX * FragmentHeader.LENGTH;

  /// Linux's limit of segments per call (UDP_MAX_SEGMENTS).
  static final int BURST_SEGMENTS_MAX = 64;

  final ByteBufAllocator allocator;
  final RandomGenerator random;
  final HistoryMemory history;
  final CompoundMemory compounds = new CompoundMemory();
  final FlowKey key = new FlowKey();
  final Arrival arrival = new Arrival();
  final byte[] body = new byte[RestoreMemory.PACKET_BYTES_MAX];
  final byte[] sealed = new byte[FragmentHeader.SEALED_BYTES_MAX];
  final TimerLateness timerLateness = new TimerLateness();
  final FragmentMemory fragments = new FragmentMemory();
  final PathNotes pathNotes = new PathNotes();
  final KeptBytes kept = new KeptBytes();

  /// A path message and its padding of zeros.
  final byte[] padded = new byte[TunnelLimits.PATH_MTU_MAX];

  final RestoreMemory restored;
  private final ByteBuf burst;
  private final Function<AeadAlgorithm, Aead> ciphers;
  private final Map<AeadAlgorithm, Aead> aeads = new EnumMap<>(AeadAlgorithm.class);

  /// Time that the present datagrams have waited in the socket.
  long socketWaitNs;

  /// Creates the memory with the fastest ciphers.
  ///
  /// @param allocator makes the bursts that go to the socket; pooled and direct in production
  /// @param random draws path challenges: a SecureRandom in production
  public LoopMemory(ByteBufAllocator allocator, RandomGenerator random) {
    this(allocator, random, Ciphers::fastest);
  }

  /// Creates the memory with given ciphers.
  ///
  /// @param ciphers makes the cipher of an algorithm (a test may measure without one)
  public LoopMemory(
      ByteBufAllocator allocator, RandomGenerator random, Function<AeadAlgorithm, Aead> ciphers) {
    this(allocator, random, ciphers, BackgroundWork.INLINE, () -> 0, HistoryMemory.BUDGET_BYTES);
  }

  /// Creates the memory of one event loop.
  ///
  /// @param backgroundWork runs the making of dictionaries; inline in the other constructors
  /// @param nanoTime clock for the codecs' cost; the other constructors keep the first estimates
  /// @param historyBudgetBytes bound on the histories of the loop together
  public LoopMemory(
      ByteBufAllocator allocator,
      RandomGenerator random,
      Function<AeadAlgorithm, Aead> ciphers,
      BackgroundWork backgroundWork,
      LongSupplier nanoTime,
      long historyBudgetBytes) {
    this.allocator = allocator;
    this.random = random;
    this.ciphers = ciphers;
    this.history = new HistoryMemory(backgroundWork, nanoTime, historyBudgetBytes);
    this.restored = new RestoreMemory(allocator, compounds);
    this.burst = allocator.directBuffer(BURST_CAPACITY, BURST_CAPACITY);
  }

  Aead aead(AeadAlgorithm algorithm) {
    return aeads.computeIfAbsent(algorithm, ciphers);
  }

  /// Returns a buffer for one run of datagrams, which the caller releases. It is always the same
  /// buffer, unless its last user still holds it.
  ByteBuf rentBurst() {
    return burst.refCnt() == 1
        ? burst.clear().retain()
        : allocator.directBuffer(BURST_CAPACITY, BURST_CAPACITY);
  }

  /// Reads the headers of a packet. The sessions of the loop can then be asked for its flow.
  ///
  /// @return null if the bytes are no complete IP packet; else the headers, valid until the next
  ///   packet
  public @Nullable FlowKey parse(IpPacket packet) {
    return key.parse(packet) ? key : null;
  }

  /// Sets whether the loop's TUN accepts UDP superpackets. The default is no.
  public void udpSuperpackets(boolean taken) {
    restored.coalescer().udpSuperpackets(taken);
  }

  /// Returns the memory of the loop's histories, with their counters.
  public HistoryMemory history() {
    return history;
  }

  /// Returns the estimate of the loop's timer lateness. The loop reports each of its timers to it,
  /// and compounds leave earlier by that time.
  public TimerLateness timerLateness() {
    return timerLateness;
  }

  /// Releases the buffers. No session may use the memory afterwards.
  @Override
  public void close() {
    restored.close();
    burst.release();
    history.close();
  }

  /// Sets the time that the next datagrams have waited for this loop. It is no delay of the path,
  /// so pacing does not count it.
  public void socketWaitNs(long ns) {
    socketWaitNs = ns;
  }
}
