package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// One end of one tunnel.
public final class TunnelSession implements AutoCloseable {
  private final long[] verdicts = new long[Verdict.COUNT];
  private final SessionTotals totals = new SessionTotals();
  private final FlowTable flows;

  public TunnelSession(
      TunnelRole role,
      TunnelSettings settings,
      AeadAlgorithm aead,
      SessionSecret secret,
      int peerReceiverIndex,
      LoopMemory memory,
      FlowListener flowListener,
      PathListener pathListener,
      long nowNs) {
    flows =
        new FlowTable(
            role == TunnelRole.AGENT,
            settings.flowsMax(),
            new FlowTimeouts(
                settings.udpIdle().toNanos(),
                settings.tcpIdle().toNanos(),
                settings.icmpIdle().toNanos()),
            flowListener,
            verdicts);
  }

  public FlowTable flows() {
    return flows;
  }

  /// Takes one packet (or TSO/USO superpacket) from the TUN device; the bytes are copied.
  public Verdict offer(
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial,
      @Nullable FlowState flow,
      long nowNs) {
    return Verdict.SESSION_CLOSED;
  }

  /// The TUN device has no more for now.
  public void flushBatch(long nowNs) {}

  /// Seals what is ready, by priority, until the sink is not writable. @return whether more is
  /// ready
  public boolean drain(DatagramSink sink, long nowNs) {
    return false;
  }

  /// Takes one datagram from the socket.
  public Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    return Verdict.SESSION_CLOSED;
  }

  /// The socket has no more for now: coalesced packets leave.
  public void openBatchEnd(long nowNs) {}

  /// When [#onTick] wants to be called, Long.MAX_VALUE for never.
  public long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  /// Time passes: deadlines, statistics, expiry. Call [#drain] afterwards.
  public void onTick(long nowNs) {}

  /// Agent: sends a PROBE with the next [#drain].
  public void probe(long nowNs) {}

  /// SNAPT: where its datagrams go, null before the first authentic one.
  public @Nullable InetSocketAddress binding() {
    return null;
  }

  /// Counters by [Verdict] ordinal; read only.
  public long[] verdicts() {
    return verdicts;
  }

  public SessionTotals totals() {
    return totals;
  }

  /// Smoothed round trip of the probes in µs, NaN before the first answer.
  public double roundTripUs() {
    return Double.NaN;
  }

  /// Ends every flow, wipes the keys.
  @Override
  public void close() {}
}
