package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Two ends of one session with several links between them, on a clock of its own. Each link has a
/// delay, and can lose everything in a direction.
final class PathsRig implements AutoCloseable {
  static final InetSocketAddress SNAPT = new InetSocketAddress("192.0.2.1", 4500);
  private static final UnpooledByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(true, true);

  /// A link of the device: its address, and what happens to datagrams.
  static final class Link {
    final int path;
    InetSocketAddress address;
    long delayNs;
    long jitterNs;
    double lossRatio;

    /// Rate in each direction; infinite without a limit.
    double bytesPerSecond = Double.POSITIVE_INFINITY;

    /// Longest wait before the line; what would wait longer is lost.
    long queueNs = Long.MAX_VALUE;

    private final long[] freeNs = new long[2];
    double lossRatioDown;
    double copyRatio;
    boolean losesUp;
    boolean losesDown;
    int longestUp = Integer.MAX_VALUE; // longer datagrams are lost
    int longest; // datagram, in bytes of UDP payload
    int sentUp;
    int sentDown;
    long bytesUp; // of UDP payload
    long bytesDown;

    Link(int path, InetSocketAddress address, long delayNs) {
      this.path = path;
      this.address = address;
      this.delayNs = delayNs;
    }
  }

  /// A datagram on its way; without link and source in the control connection.
  record Flight(
      long atNs,
      long order,
      boolean up,
      @Nullable Link link,
      @Nullable InetSocketAddress from,
      byte[] bytes) {}

  final List<Link> links = new ArrayList<>();
  final List<byte[]> atSnapt = new ArrayList<>();
  final List<byte[]> atAgent = new ArrayList<>();
  final List<byte[]> captured = new ArrayList<>();

  /// Datagrams of the SNAPT to addresses that no link has.
  final List<byte[]> elsewhere = new ArrayList<>();

  /// Bytes of outer IP packets that the SNAPT has sent to each address.
  final Map<InetSocketAddress, Integer> bytesTo = new HashMap<>();

  final List<String> moves = new ArrayList<>();
  final TunnelSession agent;
  final TunnelSession snapt;
  ServiceClass serviceClass = ServiceClass.HT_HD;
  long nowNs = 5_000_000_000L;
  private final LoopMemory agentMemory =
      LoopbackRig.memory(7, Ciphers::fastest, BackgroundWork.INLINE);
  private final LoopMemory snaptMemory =
      LoopbackRig.memory(8, Ciphers::fastest, BackgroundWork.INLINE);
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(Comparator.comparingLong(Flight::atNs).thenComparingLong(Flight::order));
  private long order;

  /// Bursts that the sinks of UDP still take.
  int roomOfSink = Integer.MAX_VALUE;

  /// Draws the faults of the links.
  SplittableRandom weather = new SplittableRandom(1);

  /// @param paths number that the handshake has allowed
  /// @param delaysMs one-way delay of each link
  PathsRig(int paths, long... delaysMs) {
    this(TunnelLimits.FEATURES, paths, delaysMs);
  }

  /// @param features abilities that the handshake has agreed on
  PathsRig(Set<Feature> features, int paths, long... delaysMs) {
    for (int i = 0; i < delaysMs.length; i++) {
      links.add(
          new Link(
              i, new InetSocketAddress("198.51.100." + (i + 1), 40_000), delaysMs[i] * 1_000_000));
    }
    agent = session(TunnelRole.AGENT, features, paths, agentMemory);
    snapt = session(TunnelRole.SNAPT, features, paths, snaptMemory);
  }

  /// Returns a rig with two links of 10 and 30 ms and all paths open.
  ///
  /// @param without abilities that the handshake has not agreed on
  /// @param seed of the weather
  static PathsRig opened(ServiceClass of, Set<Feature> without, long seed) {
    Set<Feature> features = new HashSet<>(TunnelLimits.FEATURES);
    features.removeAll(without);
    PathsRig made = new PathsRig(features, 8, 10, 30);
    made.weather = new SplittableRandom(seed);
    made.serviceClass = of;
    made.openAll();
    return made;
  }

  private TunnelSession session(
      TunnelRole role, Set<Feature> features, int paths, LoopMemory memory) {
    TunnelSettings settings = TunnelSettings.defaults();
    return new TunnelSession(
        role,
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.of(new byte[32]),
            role == TunnelRole.AGENT ? 0x0A0B0C : 0x0D0E0F,
            new TunnelLimits(1500, settings.historyBytes(), paths, features)),
        settings,
        memory,
        new FlowListener() {
          @Override
          public void opened(FlowState flow) {
            if (role == TunnelRole.AGENT) {
              flow.classify(serviceClass, 3);
            }
          }

          @Override
          public void ended(FlowState flow, io.viaduct.tunnel.flow.FlowEnd reason) {}
        },
        new PathListener() {
          @Override
          public void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {
            moves.add((from == null ? "new" : from.getHostString()) + " → " + to.getHostString());
          }
        },
        nowNs);
  }

  /// Opens the paths of all links, as an agent does.
  void openAll() {
    for (Link link : links) {
      agent.outer(link.path, OuterHeader.of(link.address), nowNs);
      agent.use(link.path, PathUse.YES, nowNs);
    }
    probeAll();
    advanceMs(300);
    probeAll();
    advanceMs(300);
  }

  void probeAll() {
    for (Link link : links) {
      agent.probe(link.path, Carrier.UDP, nowNs);
    }
    drain();
  }

  /// Changes the use of a path, and tells the SNAPT by the other paths.
  void use(int path, PathUse use) {
    agent.use(path, use, nowNs);
    for (Link link : links) {
      if (link.path != path) {
        agent.probe(link.path, Carrier.UDP, nowNs);
      }
    }
    drain();
  }

  Verdict offer(TunnelSession session, byte[] packet) {
    return offer(session, packet, 0);
  }

  /// @param gsoSize payload bytes of each segment of a superpacket; 0 for a single packet
  private Verdict offer(TunnelSession session, byte[] packet, int gsoSize) {
    ByteBuf buffer = BUFFERS.directBuffer(packet.length + 12);
    buffer.writeZero(12).writeBytes(packet);
    try {
      boolean isPartial = gsoSize > 0; // as the kernel leaves the checksum of a superpacket
      return session.offer(
          new IpPacket().set(buffer, 12, packet.length, gsoSize, isPartial), nowNs);
    } finally {
      buffer.release();
    }
  }

  void send(TunnelSession session, byte[] packet) {
    offer(session, packet);
    session.flushBatch(nowNs);
    drain();
  }

  /// Sends a superpacket, as the kernel gives it with segmentation offload.
  ///
  /// @param gsoSize payload bytes of each of its segments
  Verdict sendSuperpacket(TunnelSession session, byte[] packet, int gsoSize) {
    Verdict verdict = offer(session, packet, gsoSize);
    session.flushBatch(nowNs);
    drain();
    return verdict;
  }

  void drain() {
    agent.drain(path -> new Wire(links.get(path), true), nowNs);
    snapt.drain(new Wire(null, false), nowNs);
  }

  private final class Wire implements DatagramSink {
    private final @Nullable Link link;
    private final boolean up;

    Wire(@Nullable Link link, boolean up) {
      this.link = link;
      this.up = up;
    }

    @Override
    public boolean isWritable() {
      return roomOfSink > 0;
    }

    @Override
    public void send(ByteBuf burst, int segment, @Nullable InetSocketAddress to, long now) {
      if (roomOfSink-- <= 0) {
        throw new IllegalStateException("the sink is full: it must be asked before each burst");
      }
      while (burst.isReadable()) {
        byte[] datagram = new byte[Math.min(segment, burst.readableBytes())];
        burst.readBytes(datagram);
        Link by = up ? link : linkOf(to);
        if (to != null) {
          bytesTo.merge(to, datagram.length + OuterHeader.of(to).bytes(), Integer::sum);
        }
        if (by != null) {
          put(by, datagram);
        } else {
          elsewhere.add(datagram);
        }
      }
      burst.release();
    }

    private void put(Link by, byte[] datagram) {
      captured.add(datagram);
      by.longest = Math.max(by.longest, datagram.length);
      if (up) {
        by.sentUp++;
        by.bytesUp += datagram.length;
      } else {
        by.sentDown++;
        by.bytesDown += datagram.length;
      }
      if (!(up ? by.losesUp || datagram.length > by.longestUp : by.losesDown)
          && weather.nextDouble() >= (up ? by.lossRatio : by.lossRatio + by.lossRatioDown)) {
        fly(by, up, datagram);
        if (weather.nextDouble() < by.copyRatio) {
          fly(by, up, datagram);
        }
      }
    }
  }

  /// Makes the control connection, which has no delay.
  void connect() {
    agent.control(new ControlWire(true));
    snapt.control(new ControlWire(false));
  }

  private final class ControlWire implements DatagramSink {
    private final boolean up;

    ControlWire(boolean up) {
      this.up = up;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segment, @Nullable InetSocketAddress to, long now) {
      while (burst.isReadable()) {
        byte[] datagram = new byte[Math.min(segment, burst.readableBytes())];
        burst.readBytes(datagram);
        flights.add(new Flight(nowNs, order++, up, null, null, datagram));
      }
      burst.release();
    }
  }

  private void fly(Link by, boolean up, byte[] datagram) {
    long jitterNs = by.jitterNs == 0 ? 0 : weather.nextLong(by.jitterNs);
    InetSocketAddress from = up ? by.address : SNAPT;
    int direction = up ? 1 : 0;
    if (by.freeNs[direction] - nowNs > by.queueNs) {
      return;
    }
    by.freeNs[direction] =
        Math.max(by.freeNs[direction], nowNs)
            + (long) ((datagram.length + 28) * 1e9 / by.bytesPerSecond);
    long atNs = by.freeNs[direction] + by.delayNs + jitterNs;
    flights.add(new Flight(atNs, order++, up, by, from, datagram));
  }

  private @Nullable Link linkOf(@Nullable InetSocketAddress to) {
    return links.stream().filter(link -> link.address.equals(to)).findFirst().orElse(null);
  }

  /// Advances the clock; delivers what arrives, and runs the ticks that are due.
  void advanceMs(long ms) {
    long endNs = nowNs + ms * 1_000_000;
    while (true) {
      Flight next = flights.peek();
      long due = Math.min(agent.nextDeadlineNs(), snapt.nextDeadlineNs());
      due = next == null ? due : Math.min(due, next.atNs());
      if (due > endNs) {
        nowNs = endNs;
        return;
      }
      nowNs = Math.max(nowNs + 1, due);
      while (!flights.isEmpty() && flights.peek().atNs() <= nowNs) {
        receive(flights.remove());
      }
      agent.openBatchEnd(nowNs);
      snapt.openBatchEnd(nowNs);
      agent.onTick(nowNs);
      snapt.onTick(nowNs);
      drain();
    }
  }

  private void receive(Flight flight) {
    if (flight.up()) {
      receiveAtSnapt(flight.bytes(), flight.from());
      return;
    }
    ByteBuf buffer = BUFFERS.directBuffer(flight.bytes().length).writeBytes(flight.bytes());
    int length = flight.bytes().length;
    int by = flight.link() == null ? 0 : flight.link().path;
    agent.open(buffer, 0, length, by, flight.from(), into(atAgent), nowNs);
    buffer.release();
  }

  Verdict receiveAtSnapt(byte[] datagram, @Nullable InetSocketAddress from) {
    ByteBuf buffer = BUFFERS.directBuffer(datagram.length).writeBytes(datagram);
    Verdict verdict = snapt.open(buffer, 0, datagram.length, from, into(atSnapt), nowNs);
    buffer.release();
    return verdict;
  }

  private static InnerPacketSink into(List<byte[]> list) {
    return (flow, packet) -> {
      byte[] bytes = new byte[packet.length()];
      packet.buffer().getBytes(packet.start(), bytes);
      list.addAll(Segments.of(bytes, packet.gsoSize(), packet.isChecksumPartial()));
    };
  }

  @Override
  public void close() {
    agent.close();
    snapt.close();
    agentMemory.close();
    snaptMemory.close();
  }
}
