package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// Both ends of a tunnel between peers with real sockets on the loopback: one listens at two
/// addresses, the other one dials. The clock belongs to the test.
final class LoopbackPeers implements AutoCloseable {
  static final long SEED = 20_261_125;
  static final Duration PROBE = Duration.ofMillis(500);
  static final Duration WATCHDOG = Duration.ofSeconds(2);
  private static final int HEADROOM = 16;
  private static final int POLL_US = 50;
  private static final long STEP_NS = 5_000_000;
  private static final int PAYLOAD_BYTES = 400;
  private static final int DIALLING_INDEX = 11;
  private static final int LISTENING_INDEX = 22;
  private static final MobilitySettings MOBILITY =
      new MobilitySettings(
          Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4);
  private static final PacketForge.Endpoints UP = PacketForge.Endpoints.ipv4(5000, 7, 5000);

  volatile long nowNs = 5_000_000_000L;

  /// Packets that each end has got out of the tunnel.
  int atDialling;

  int atListening;

  /// Paths whose watchdog has fired, in order.
  final List<Integer> stopped = new ArrayList<>();

  final DialledPaths dialling;
  final AnsweredPaths listening;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = loops.next();
  private final LoopMemory memory = LoopbackPaths.memory();
  private final LoopMemory otherMemory = LoopbackPaths.memory();
  private final Random noise = new Random(SEED);
  private final TunnelSession dialled;
  private final TunnelSession answered;

  LoopbackPeers() throws SocketException {
    dialling =
        new DialledPaths(
            loop,
            () -> nowNs,
            0,
            new EndRole.Dialling(MOBILITY, new Measuring(PROBE, WATCHDOG), () -> false),
            new End(true),
            new Heard());
    listening =
        new AnsweredPaths(
            loop,
            () -> nowNs,
            0,
            new EndRole.Answering(List.of(at("127.0.0.1"), at("127.0.0.2")), WATCHDOG),
            new End(false),
            new Heard());
    dialled = session(TunnelRole.AGENT, LISTENING_INDEX);
    answered = session(TunnelRole.SNAPT, DIALLING_INDEX);
  }

  private static InetSocketAddress at(String literal) {
    return new InetSocketAddress(InetAddress.ofLiteral(literal), 0);
  }

  private TunnelSession session(TunnelRole role, int peerIndex) {
    TunnelSettings settings = TunnelSettings.defaults();
    return new TunnelSession(
        role,
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.of(new byte[SessionSecret.BYTES]),
            peerIndex,
            new TunnelLimits(
                    1500, settings.historyBytes(), TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES)
                .with(Feature.MEASUREMENTS)),
        settings,
        role == TunnelRole.AGENT ? memory : otherMemory,
        new FlowListener() {
          @Override
          public void opened(FlowState flow) {
            flow.classify(ServiceClass.HT_LD, 3);
          }
        },
        role == TunnelRole.AGENT ? dialling : listening,
        nowNs);
  }

  /// Begins the session. The end that dials has these links, all of which are the loopback.
  void begin(UsableLink... links) {
    InetSocketAddress control =
        new InetSocketAddress(at("127.0.0.1").getAddress(), listening.port());
    Remotes peers =
        Remotes.of(control)
            .each(List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2")));
    on(() -> {
      for (UsableLink each : links) {
        dialling.linkChanged(null, each, nowNs);
      }
      listening.begin(answered, peers, nowNs);
      dialling.begin(dialled, peers, nowNs);
    });
  }

  /// Runs an action on the event loop.
  void on(Runnable action) {
    loop.submit(action).syncUninterruptibly();
  }

  /// Advances the clock, while both ends act.
  void advanceMs(int ms) {
    advanceMs(ms, true);
  }

  /// Advances the clock.
  ///
  /// @param dials false if the end that dials does nothing, as if it had stopped
  void advanceMs(int ms, boolean dials) {
    long endNs = nowNs + ms * 1_000_000L;
    while (nowNs < endNs) {
      if (dials) {
        on(() -> turn(dialled, dialling));
      }
      nowNs += STEP_NS;
      on(() -> turn(answered, listening));
      nowNs += STEP_NS;
      poll();
    }
  }

  /// Lets the loop read its sockets: it polls them before it waits for a task that is not due yet.
  private void poll() {
    for (int i = 0; i < 2; i++) {
      loop.schedule(() -> {}, POLL_US, TimeUnit.MICROSECONDS).syncUninterruptibly();
    }
  }

  private void turn(TunnelSession session, TunnelPaths paths) {
    session.onTick(nowNs);
    paths.tick(nowNs);
    drain(session, paths);
  }

  private void drain(TunnelSession session, TunnelPaths paths) {
    paths.beforeDrain(nowNs);
    session.drain(paths, nowNs);
    paths.afterDrain(nowNs);
  }

  /// Sends a packet of a flow of low delay into an end of the tunnel.
  void send(boolean fromDialling) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    noise.nextBytes(payload);
    byte[] packet = PacketForge.udp(fromDialling ? UP : UP.reversed(), payload);
    on(() -> {
      TunnelSession from = fromDialling ? dialled : answered;
      ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
      from.offer(new IpPacket().set(buffer, HEADROOM, packet.length, 0, false), nowNs);
      buffer.release();
      from.flushBatch(nowNs);
      drain(from, fromDialling ? dialling : listening);
    });
  }

  /// Returns the paths of an end.
  List<PathStatus> status(TunnelPaths of) {
    List<PathStatus> seen = new ArrayList<>();
    on(() -> seen.addAll(of.status(nowNs)));
    return seen;
  }

  private final class End implements TunnelPaths.Inbound {
    private final boolean dials;

    End(boolean dials) {
      this.dials = dials;
    }

    private TunnelSession session() {
      return dials ? dialled : answered;
    }

    @Override
    public void burst(long waitedNs) {}

    @Override
    public long arrivedNs() {
      return nowNs;
    }

    @Override
    public TunnelSession sessionOf(ByteBuf datagram) {
      return session();
    }

    @Override
    public InnerPacketSink toHost() {
      return (_, _) -> {
        atDialling += dials ? 1 : 0;
        atListening += dials ? 0 : 1;
      };
    }

    @Override
    public boolean opened() {
      session().openBatchEnd(nowNs);
      return true;
    }

    @Override
    public void drain() {
      LoopbackPeers.this.drain(session(), dials ? dialling : listening);
    }

    @Override
    public void silenceChanged() {}
  }

  private final class Heard implements DataPathListener {
    @Override
    public void pathFound(long atNs) {}

    @Override
    public void pathLeft(LeftPath left) {}

    @Override
    public void pathDead() {}

    @Override
    public void probesStopped(int path, String name, long silenceNs) {
      stopped.add(path);
    }

    @Override
    public void carrierChanged(Carrier to, long silentNs) {}

    @Override
    public void carrierResumed(long afterNs) {}
  }

  @Override
  public void close() {
    on(() -> {
      dialling.end();
      listening.end();
      dialling.close();
      listening.close();
      dialled.close();
      answered.close();
    });
    memory.close();
    otherMemory.close();
    loops.shutdownGracefully();
  }
}
