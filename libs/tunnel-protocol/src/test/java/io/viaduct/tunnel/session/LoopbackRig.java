package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Runs both ends of a tunnel in one JVM with a manual clock: `agent` and `snapt`. Their datagrams
/// go to `up` and `down`, their restored packets to `atSnapt` and `atAgent`. For tests and
/// benchmarks.
public final class LoopbackRig implements AutoCloseable {
  public static final InetSocketAddress AGENT = new InetSocketAddress("192.0.2.10", 40000);
  public static final InetSocketAddress SNAPT = new InetSocketAddress("192.0.2.1", 4500);

  /// Allocator without leak detection, which would cost more than the session; `LeakTest` has it.
  static final UnpooledByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);

  private static final byte[] FIRST_SECRET = firstSecret();
  private static final long START_NS = 5_000_000_000L;

  /// Restored packet.
  public record Restored(@Nullable FlowState flow, byte[] packet, int gsoSize, boolean partial) {}

  public final LoopMemory memory;

  /// Memory of the SNAPT.
  public final LoopMemory snaptMemory;

  public final TunnelSession agent;
  public final TunnelSession snapt;
  public final Deque<byte[]> up = new ArrayDeque<>();
  public final Deque<byte[]> down = new ArrayDeque<>();
  public final List<Integer> bursts = new ArrayList<>();
  public final List<Restored> atSnapt = new ArrayList<>();
  public final List<Restored> atAgent = new ArrayList<>();
  public final List<String> ended = new ArrayList<>();
  public @Nullable InetSocketAddress downTo;
  public InetSocketAddress upFrom = AGENT;
  public ServiceClass serviceClass = ServiceClass.HT_HD;
  public long nowNs;
  public boolean writable = true;

  /// Largest outer IP packet that is not lost.
  public int upMtu = 65_535;

  public int downMtu = 65_535;

  public LoopbackRig() {
    this(TunnelSettings.defaults());
  }

  public LoopbackRig(TunnelSettings settings) {
    this(settings, AeadAlgorithm.AES_256_GCM, Ciphers::fastest, PathListener.SILENT);
  }

  public LoopbackRig(
      TunnelSettings settings,
      AeadAlgorithm algorithm,
      Function<AeadAlgorithm, Aead> ciphers,
      PathListener pathListener) {
    this(settings, algorithm, ciphers, pathListener, BackgroundWork.INLINE);
  }

  public LoopbackRig(
      TunnelSettings settings,
      AeadAlgorithm algorithm,
      Function<AeadAlgorithm, Aead> ciphers,
      PathListener pathListener,
      BackgroundWork backgroundWork) {
    this(1500, settings, algorithm, ciphers, pathListener, backgroundWork);
  }

  public LoopbackRig(
      int pathMtu,
      TunnelSettings settings,
      AeadAlgorithm algorithm,
      Function<AeadAlgorithm, Aead> ciphers,
      PathListener pathListener,
      BackgroundWork backgroundWork) {
    this(
        limits(pathMtu, settings),
        limits(pathMtu, settings),
        settings,
        algorithm,
        pathListener,
        memory(7, ciphers, backgroundWork),
        memory(8, ciphers, backgroundWork),
        FIRST_SECRET,
        START_NS);
  }

  /// Creates a session between existing ends, with AES-256-GCM and a path of 1500 bytes.
  ///
  /// @param secret 32 bytes
  LoopbackRig(
      TunnelSettings settings,
      LoopMemory memory,
      LoopMemory snaptMemory,
      byte[] secret,
      long nowNs) {
    this(
        limits(1500, settings),
        limits(1500, settings),
        settings,
        AeadAlgorithm.AES_256_GCM,
        PathListener.SILENT,
        memory,
        snaptMemory,
        secret,
        nowNs);
  }

  /// Creates a session between ends that understand the handshake as they please.
  static LoopbackRig between(TunnelLimits agent, TunnelLimits snapt) {
    return new LoopbackRig(
        agent,
        snapt,
        TunnelSettings.defaults(),
        AeadAlgorithm.AES_256_GCM,
        PathListener.SILENT,
        memory(7, Ciphers::fastest, BackgroundWork.INLINE),
        memory(8, Ciphers::fastest, BackgroundWork.INLINE),
        FIRST_SECRET,
        START_NS);
  }

  private static TunnelLimits limits(int pathMtu, TunnelSettings settings) {
    return new TunnelLimits(pathMtu, settings.historyBytes()).with(Feature.WAITING_TIMES);
  }

  private LoopbackRig(
      TunnelLimits agentLimits,
      TunnelLimits snaptLimits,
      TunnelSettings settings,
      AeadAlgorithm algorithm,
      PathListener pathListener,
      LoopMemory memory,
      LoopMemory snaptMemory,
      byte[] secret,
      long nowNs) {
    this.memory = memory;
    this.snaptMemory = snaptMemory;
    this.nowNs = nowNs;
    agent =
        new TunnelSession(
            TunnelRole.AGENT,
            new TunnelTerms(algorithm, SessionSecret.of(secret), 0x0A0B0C, agentLimits),
            settings,
            memory,
            new Flows(true),
            pathListener,
            nowNs);
    snapt =
        new TunnelSession(
            TunnelRole.SNAPT,
            new TunnelTerms(algorithm, SessionSecret.of(secret), 0x0D0E0F, snaptLimits),
            settings,
            snaptMemory,
            new Flows(false),
            pathListener,
            nowNs);
    agent.outer(0, OuterHeader.IPV4, nowNs);
    snapt.outer(0, OuterHeader.IPV4, nowNs);
  }

  private final class Flows implements FlowListener {
    private final boolean classifies;

    Flows(boolean classifies) {
      this.classifies = classifies;
    }

    @Override
    public void opened(FlowState flow) {
      if (classifies) {
        flow.classify(serviceClass, 3);
      }
    }

    @Override
    public void ended(FlowState flow, FlowEnd reason) {
      ended.add(flow.id() + " " + reason);
    }
  }

  private static byte[] firstSecret() {
    byte[] secret = new byte[32];
    for (int i = 0; i < 32; i++) {
      secret[i] = (byte) i;
    }
    return secret;
  }

  /// Creates the memory of one end.
  ///
  /// @param seed seed of path challenges
  static LoopMemory memory(
      long seed, Function<AeadAlgorithm, Aead> ciphers, BackgroundWork backgroundWork) {
    return new LoopMemory(
        UNTRACKED,
        new SplittableRandom(seed),
        ciphers,
        backgroundWork,
        () -> 0,
        HistoryMemory.BUDGET_BYTES);
  }

  private final class Wire implements DatagramSink {
    private final Deque<byte[]> to;

    Wire(Deque<byte[]> to) {
      this.to = to;
    }

    @Override
    public boolean isWritable() {
      return writable;
    }

    @Override
    public void send(
        ByteBuf burst, int segmentSize, @Nullable InetSocketAddress address, long now) {
      if (to == down) {
        downTo = address;
      }
      bursts.add(burst.readableBytes());
      while (burst.isReadable()) {
        byte[] datagram = new byte[Math.min(segmentSize, burst.readableBytes())];
        burst.readBytes(datagram);
        int most = to == up ? upMtu : to == down ? downMtu : 65_535;
        if (datagram.length + OuterHeader.IPV4.bytes() <= most) {
          to.add(datagram);
        }
      }
      burst.release();
    }
  }

  private final Wire upWire = new Wire(up);
  private final Wire downWire = new Wire(down);

  /// Datagrams in the control connection.
  public final Deque<byte[]> upControl = new ArrayDeque<>();

  public final Deque<byte[]> downControl = new ArrayDeque<>();

  /// Gives both ends a control connection.
  public void connect() {
    agent.control(new Wire(upControl));
    snapt.control(new Wire(downControl));
  }

  /// Delivers the datagrams in the control connection, and no others.
  public void deliverControl() {
    while (!upControl.isEmpty()) {
      receive(snapt, upControl.remove(), null);
    }
    snapt.openBatchEnd(nowNs);
    drain(snapt);
    while (!downControl.isEmpty()) {
      receive(agent, downControl.remove(), null);
    }
    agent.openBatchEnd(nowNs);
    drain(agent);
  }

  private static InnerPacketSink into(List<Restored> list) {
    return (flow, packet) -> {
      byte[] bytes = new byte[packet.length()];
      packet.buffer().getBytes(packet.start(), bytes);
      list.add(new Restored(flow, bytes, packet.gsoSize(), packet.isChecksumPartial()));
    };
  }

  private final InnerPacketSink snaptTun = into(atSnapt);
  private final InnerPacketSink agentTun = into(atAgent);

  /// Lets UDP datagrams come out as superpackets too, as TCP segments do.
  public LoopbackRig withUdpSuperpackets() {
    memory.udpSuperpackets(true);
    snaptMemory.udpSuperpackets(true);
    return this;
  }

  /// Offers a packet with a complete checksum.
  public Verdict offer(TunnelSession session, byte[] packet) {
    return offer(session, packet, 0, false);
  }

  public Verdict offer(TunnelSession session, byte[] packet, int gsoSize, boolean partial) {
    ByteBuf buffer = UNTRACKED.directBuffer(packet.length + 12);
    buffer.writeZero(12).writeBytes(packet);
    try {
      return session.offer(new IpPacket().set(buffer, 12, packet.length, gsoSize, partial), nowNs);
    } finally {
      buffer.release();
    }
  }

  /// Returns the session's answer to a packet that is too big, empty for none.
  public byte[] answerTooBig(TunnelSession session, byte[] packet) {
    ByteBuf buffer = UNTRACKED.directBuffer(packet.length).writeBytes(packet);
    List<Restored> answers = new ArrayList<>();
    session.answerTooBig(new IpPacket().set(buffer, 0, packet.length), into(answers), nowNs);
    buffer.release();
    return answers.isEmpty() ? new byte[0] : answers.getFirst().packet();
  }

  /// Ends the batch and puts the ready datagrams on the wire.
  public void send(TunnelSession session) {
    session.flushBatch(nowNs);
    drain(session);
  }

  public boolean drain(TunnelSession session) {
    return session.drain(session == agent ? upWire : downWire, nowNs);
  }

  public Verdict receive(TunnelSession session, byte[] datagram) {
    return receive(session, datagram, session == snapt ? upFrom : SNAPT);
  }

  /// Delivers one datagram.
  ///
  /// @param from null if the datagram came by the control connection
  public Verdict receive(TunnelSession session, byte[] datagram, @Nullable InetSocketAddress from) {
    ByteBuf buffer = UNTRACKED.directBuffer(Math.max(1, datagram.length)).writeBytes(datagram);
    try {
      boolean atRelay = session == snapt;
      return session.open(buffer, 0, datagram.length, from, atRelay ? snaptTun : agentTun, nowNs);
    } finally {
      buffer.release();
    }
  }

  /// Delivers all datagrams on the wire, in both directions, and ends the batches.
  public void deliver() {
    while (!up.isEmpty() || !down.isEmpty()) {
      while (!up.isEmpty()) {
        receive(snapt, up.remove());
      }
      snapt.openBatchEnd(nowNs);
      drain(snapt);
      while (!down.isEmpty()) {
        receive(agent, down.remove());
      }
      agent.openBatchEnd(nowNs);
      drain(agent);
    }
  }

  /// Advances the clock from deadline to deadline, with a tick at each.
  public void advance(long ns) {
    long endNs = nowNs + ns;
    while (nowNs < endNs) {
      long next = Math.min(agent.nextDeadlineNs(), snapt.nextDeadlineNs());
      nowNs = Math.max(nowNs + 1, Math.min(endNs, next));
      agent.onTick(nowNs);
      snapt.onTick(nowNs);
      drain(agent);
      drain(snapt);
      deliver();
    }
  }

  /// Closes the waiting compounds by their deadline, and puts them on the wire.
  public void passDeadline(TunnelSession session) {
    nowNs += 60_000_000;
    session.onTick(nowNs);
    drain(session);
  }

  /// Sends a probe of the agent.
  public void probe() {
    agent.probe(0, agent.carrier(), nowNs);
    drain(agent);
  }

  /// Sends the packet up, and lets the contexts be acknowledged.
  public void open(byte[] packet) {
    offer(agent, packet);
    send(agent);
    deliver();
    advance(10_000_000);
  }

  public static long count(TunnelSession session, Verdict verdict) {
    return session.verdicts().of(verdict);
  }

  /// Closes the sessions. The ends live on for another session.
  void closeSessions() {
    agent.close();
    snapt.close();
  }

  @Override
  public void close() {
    closeSessions();
    memory.close();
    snaptMemory.close();
  }
}
