package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// A SNAPT on the loopback with an address of each family. It loses datagrams as the test wishes,
/// and acts when the test lets it.
final class LoopbackSnapt implements AutoCloseable {
  /// A family of whose datagrams nothing arrives; null for none.
  @Nullable OuterHeader dead;

  /// Path that loses packets in both directions, and how many.
  int losingPath = -1;

  double lossRatio;

  /// Tells which datagrams from the device by that path arrive, by their number from 1.
  IntPredicate arrives = _ -> true;

  /// True if nothing arrives from the device.
  boolean losesAll;

  /// True if nothing arrives from addresses that were not heard before.
  boolean losesNewSources;

  /// Datagrams from the device that were lost on their way, and their bytes as outer IP packets.
  int lost;

  long lostBytes;

  /// Datagrams that the SNAPT has sent to the device.
  long sent;

  /// Packets of the device that have arrived behind the SNAPT.
  int delivered;

  private final SplittableRandom weather = new SplittableRandom(LoopbackPaths.SEED);
  private final LoopMemory memory = LoopbackPaths.memory();
  private final DatagramChannel ipv4 = channel("127.0.0.1");
  private final DatagramChannel ipv6 = channel("::1");
  private final TunnelSession session;
  private long nowNs;
  private int numbered; // datagrams from the device by the losing path
  private final Map<InetSocketAddress, Integer> arrived = new HashMap<>(); // datagrams by source

  LoopbackSnapt(long nowNs) throws IOException {
    this.nowNs = nowNs;
    session =
        LoopbackPaths.session(
            TunnelRole.SNAPT, memory, FlowListener.SILENT, PathListener.SILENT, nowNs);
  }

  private static DatagramChannel channel(String host) throws IOException {
    DatagramChannel opened = DatagramChannel.open();
    opened.configureBlocking(false);
    return opened.bind(new InetSocketAddress(InetAddress.ofLiteral(host), 0));
  }

  /// Returns its addresses; that of IPv4 is the one of the control connection.
  Remotes peers() throws IOException {
    var four = (InetSocketAddress) ipv4.getLocalAddress();
    return new Remotes(four, List.of(new Remote(four, (InetSocketAddress) ipv6.getLocalAddress())));
  }

  /// Returns its addresses as two places, which a peer would have.
  Remotes twoPlaces() throws IOException {
    var four = (InetSocketAddress) ipv4.getLocalAddress();
    var six = (InetSocketAddress) ipv6.getLocalAddress();
    return new Remotes(four, List.of(Remote.of(four), Remote.of(six)));
  }

  /// Takes what has arrived, and answers.
  void turn(long turnNs) throws IOException {
    nowNs = turnNs;
    receive(ipv4);
    receive(ipv6);
    session.openBatchEnd(nowNs);
    session.onTick(nowNs);
    session.drain(new Wire(), nowNs);
  }

  /// Sends a packet to the device at once, by the path that it has carried packets by so far.
  void sendPacket() {
    LoopbackPaths.offer(session, weather, nowNs);
    session.flushBatch(nowNs);
    session.drain(new Wire(), nowNs);
  }

  /// Sends a packet of the device's flow to the device at once.
  void answerPacket() {
    LoopbackPaths.offer(session, LoopbackPaths.ENDPOINTS.reversed(), weather, nowNs);
    session.flushBatch(nowNs);
    session.drain(new Wire(), nowNs);
  }

  /// Returns the route of the device's one flow, as the device has told it.
  int route() {
    int[] told = {FlowRoute.ANY};
    session.flows().forEach(flow -> told[0] = flow.route());
    return told[0];
  }

  /// Returns how many packets this end has judged so.
  long verdict(Verdict verdict) {
    return session.verdicts().of(verdict);
  }

  private void receive(DatagramChannel by) throws IOException {
    ByteBuffer received = ByteBuffer.allocate(2000);
    var from = (InetSocketAddress) by.receive(received);
    while (from != null) {
      received.flip();
      if (arrivesFrom(from)) {
        arrived.merge(from, 1, Integer::sum);
        ByteBuf content = Unpooled.directBuffer(received.remaining()).writeBytes(received);
        session.open(content, 0, content.readableBytes(), from, (_, _) -> delivered++, nowNs);
        content.release();
      } else {
        lost++;
        lostBytes += received.remaining() + OuterHeader.of(from).bytes();
      }
      received.clear();
      from = (InetSocketAddress) by.receive(received);
    }
  }

  private boolean arrivesFrom(InetSocketAddress source) {
    boolean isKnown = !losesNewSources || arrived.containsKey(source);
    return !losesAll && isKnown && arrives(source) && (!loses(source) || arrives.test(++numbered));
  }

  private boolean arrives(InetSocketAddress remote) {
    return OuterHeader.of(remote) != dead && (!loses(remote) || weather.nextDouble() >= lossRatio);
  }

  // A path has one socket for both address families.
  private boolean loses(InetSocketAddress remote) {
    InetSocketAddress losing = address(losingPath);
    return losing != null && losing.getPort() == remote.getPort();
  }

  private @Nullable InetSocketAddress address(int path) {
    for (PathState each : session.paths(nowNs)) {
      if (each.id() == path) {
        return each.address();
      }
    }
    return null;
  }

  /// Returns the number of datagrams that have arrived by a path.
  int arrivedBy(int path) {
    return arrived.getOrDefault(address(path), 0);
  }

  private final class Wire implements DatagramSink {
    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long sentNs) {
      while (to != null && burst.isReadable()) {
        ByteBuf datagram = burst.readSlice(Math.min(segmentSize, burst.readableBytes()));
        if (arrives(to)) {
          try {
            (OuterHeader.of(to) == OuterHeader.IPV4 ? ipv4 : ipv6).send(datagram.nioBuffer(), to);
            sent++;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
      burst.release();
    }
  }

  /// Returns the link of each path, as the device has told it.
  List<String> links() {
    return session.paths(0).stream().map(PathState::link).toList();
  }

  @Override
  public void close() throws IOException {
    session.close();
    ipv4.close();
    ipv6.close();
    memory.close();
  }
}
