package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real sockets. The kernel refuses the broadcast address to a socket without SO_BROADCAST, so a
/// burst to it waits as that of a lost link does.
class SealedLeftoversTest {
  private static final InetSocketAddress LOST = new InetSocketAddress("255.255.255.255", 9);
  private static final byte DATA = 0x40;
  private static final byte PATH = 0x50;

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = loops.next();
  private final ConcurrentLinkedQueue<String> arrived = new ConcurrentLinkedQueue<>();
  private final SealedLeftovers leftovers = new SealedLeftovers();
  private UdpSockets receiver;
  private UdpSockets sender;

  @BeforeEach
  void open() throws Exception {
    UdpSettings here = UdpSettings.at(new InetSocketAddress("127.0.0.1", 0));
    receiver = UdpSockets.bind(List.of(loop), here, _ -> new Inbox());
    UdpSettings any = UdpSettings.at(new InetSocketAddress("0.0.0.0", 0));
    sender = UdpSockets.bind(List.of(loop), any, _ -> new Inbox());
  }

  @AfterEach
  void close() {
    receiver.close();
    sender.close();
    loops.shutdownGracefully();
  }

  private final class Inbox implements DatagramReader {
    @Override
    public void burst(long waitedNs) {}

    @Override
    public void datagram(ByteBuf content, InetSocketAddress from) {
      arrived.add(ByteBufUtil.hexDump(content));
    }

    @Override
    public void batchEnd() {}

    @Override
    public void writable() {}
  }

  private UdpSink sink(InetSocketAddress peer) {
    return new UdpSink(sender.sockets().getFirst(), peer);
  }

  private static ByteBuf burst(byte code, int... lengths) {
    ByteBuf burst = Unpooled.directBuffer();
    for (int length : lengths) {
      burst.writeByte(code);
      for (int i = 1; i < length; i++) {
        burst.writeByte(i);
      }
    }
    return burst;
  }

  @Test
  void whatARuleBindsToTheLostLinkLeavesByNoOtherOneAndIsGivenBack() {
    ByteBuf burst = burst(DATA, 100, 100);
    onLoop(() -> {
      UdpSink lost = sink(LOST);
      lost.sendBound(burst, 100, null, 0);
      assertThat(lost.isWritable()).isFalse();
      leftovers.add(lost);
    });
    assertThat(leftovers.isEmpty()).isTrue();
    assertThat(leftovers.dropped()).isEqualTo(1);
    assertThat(burst.refCnt()).isZero();
  }

  /// Makes a burst wait in the sink of a link that is lost then.
  private void lose(ByteBuf burst, int segmentSize, long atNs) {
    onLoop(() -> {
      UdpSink lost = sink(LOST);
      lost.send(burst, segmentSize, null, atNs);
      assertThat(lost.isWritable()).isFalse();
      leftovers.add(lost);
      assertThat(lost.isWritable()).isTrue();
    });
  }

  private void onLoop(Runnable work) {
    loop.submit(work).syncUninterruptibly();
  }

  @Test
  void whatWaitedForALostLinkLeavesByAnotherOneWithTheSameBytes() {
    ByteBuf sealed = burst(DATA, 1200, 1200, 300);
    String bytes = ByteBufUtil.hexDump(sealed);
    lose(sealed, 1200, 0);
    onLoop(() -> leftovers.sendBy(sink(receiver.address()), 1));
    await().until(() -> arrived.size() == 3);
    assertThat(String.join("", arrived)).isEqualTo(bytes);
    assertThat(leftovers.moved()).isEqualTo(1);
    assertThat(leftovers.isEmpty()).isTrue();
    assertThat(sealed.refCnt()).isZero();
  }

  @Test
  void aPathMessageDoesNotLeaveByAnotherPath() {
    ByteBuf probe = burst(PATH, 61);
    lose(probe, 61, 0);
    assertThat(leftovers.isEmpty()).isTrue();
    assertThat(leftovers.dropped()).isEqualTo(1);
    assertThat(probe.refCnt()).isZero();
  }

  @Test
  void aBurstThatNoPathTakesInTimeIsDroppedAndCounted() {
    ByteBuf sealed = burst(DATA, 100);
    lose(sealed, 100, 0);
    onLoop(() -> leftovers.sendBy(sink(LOST), UdpSink.WAIT_NS_MAX));
    assertThat(leftovers.isEmpty()).isFalse();
    onLoop(() -> leftovers.sendBy(sink(LOST), UdpSink.WAIT_NS_MAX + 1));
    assertThat(leftovers.isEmpty()).isTrue();
    assertThat(leftovers.dropped()).isEqualTo(1);
    assertThat(sealed.refCnt()).isZero();
  }

  @Test
  void noMoreBurstsAreKeptThanADeviceHasPaths() {
    for (int i = 0; i <= SealedLeftovers.BURSTS_MAX; i++) {
      lose(burst(DATA, 100), 100, 0);
    }
    assertThat(leftovers.dropped()).isEqualTo(1);
    onLoop(leftovers::giveUp);
    assertThat(leftovers.dropped()).isEqualTo(1 + SealedLeftovers.BURSTS_MAX);
  }
}
