package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.host.udp.UdpSockets;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tests the gathering of small datagrams, over real sockets.
class UdpSenderTest {
  // Without SO_BROADCAST the kernel refuses this address.
  private static final InetSocketAddress FORBIDDEN = new InetSocketAddress("255.255.255.255", 9);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = (IoEventLoop) group.next();
  private final Inbox first = new Inbox();
  private final Inbox second = new Inbox();
  private final TrafficCounters counters = new TrafficCounters();
  private final UdpSender sender = new UdpSender(counters);
  private UdpSockets own;
  private UdpSockets firstPeer;
  private UdpSockets secondPeer;
  private UdpSocket socket;

  /// Keeps the length of each datagram.
  private static final class Inbox implements DatagramReader {
    final Queue<Integer> lengths = new ConcurrentLinkedQueue<>();

    @Override
    public void datagram(ByteBuf content, InetSocketAddress from) {
      lengths.add(content.readableBytes());
    }

    @Override
    public void batchEnd() {}
  }

  @BeforeEach
  void open() throws Exception {
    own = bind(new Inbox());
    firstPeer = bind(first);
    secondPeer = bind(second);
    socket = own.sockets().getFirst();
    sender.attach(socket);
  }

  @AfterEach
  void close() {
    own.close();
    firstPeer.close();
    secondPeer.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private UdpSockets bind(DatagramReader reader) throws Exception {
    return UdpSockets.bind(
        List.of(loop), UdpSettings.at(new InetSocketAddress("127.0.0.1", 0)), _ -> reader);
  }

  private void onLoop(Runnable work) throws Exception {
    loop.submit(work).get(5, TimeUnit.SECONDS);
  }

  private void send(int bytes, int segmentSize, InetSocketAddress to) {
    sender.send(Unpooled.directBuffer().writeZero(bytes), segmentSize, to, 0);
  }

  @Test
  void smallDatagramsToDifferentPeersLeaveTogether() throws Exception {
    onLoop(() -> {
      sender.gather();
      send(10, 10, firstPeer.address());
      send(20, 20, secondPeer.address());
      send(30, 30, firstPeer.address());
      assertThat(socket.sends()).isZero();
      sender.sendGathered();
      assertThat(socket.sends()).isEqualTo(1);
      send(40, 40, firstPeer.address());
      assertThat(socket.sends()).as("nothing is gathered any more").isEqualTo(2);
    });
    await().until(() -> first.lengths.size() == 3 && second.lengths.size() == 1);
    assertThat(first.lengths).containsExactly(10, 30, 40);
    assertThat(second.lengths).containsExactly(20);
  }

  @Test
  void aBurstAndALongDatagramKeepTheOrderOfSealing() throws Exception {
    onLoop(() -> {
      sender.gather();
      send(10, 10, firstPeer.address());
      send(250, 100, firstPeer.address()); // a burst of three
      send(11, 11, firstPeer.address());
      send(UdpSocket.POSTED_BYTES_MAX + 1, 1_000, firstPeer.address());
      send(12, 12, firstPeer.address());
      sender.sendGathered();
    });
    await().until(() -> first.lengths.size() == 7);
    assertThat(first.lengths)
        .containsExactly(10, 100, 100, 50, 11, UdpSocket.POSTED_BYTES_MAX + 1, 12);
  }

  @Test
  void moreThanOneCallTakesLeaveInSeveralCalls() throws Exception {
    onLoop(() -> {
      sender.gather();
      for (int i = 1; i <= 150; i++) {
        send(i, i, i % 2 == 0 ? firstPeer.address() : secondPeer.address());
      }
      sender.sendGathered();
      assertThat(socket.sends()).isEqualTo(3); // 64 + 64 + 22
    });
    await().until(() -> first.lengths.size() + second.lengths.size() == 150);
  }

  @Test
  void aPeerThatTheKernelRefusesIsCountedAndCostsNoOtherItsDatagrams() throws Exception {
    onLoop(() -> {
      sender.gather();
      send(10, 10, firstPeer.address());
      send(20, 20, FORBIDDEN);
      send(30, 30, secondPeer.address());
      sender.sendGathered();
    });
    await().until(() -> first.lengths.size() == 1 && second.lengths.size() == 1);
    assertThat(counters.of(Drop.UDP_REFUSED)).isEqualTo(1);
    assertThat(counters.socketFull()).isZero();
  }

  @Test
  void whatWaitsWhenTheRelayEndsIsCounted() throws Exception {
    onLoop(() -> {
      sender.gather();
      send(10, 10, firstPeer.address());
      send(20, 20, secondPeer.address());
      sender.close();
    });
    assertThat(counters.of(Drop.ENDED)).isEqualTo(2);
  }
}
