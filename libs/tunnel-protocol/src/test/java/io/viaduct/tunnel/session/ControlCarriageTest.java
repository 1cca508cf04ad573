package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Datagrams in the control connection, docs/protocol.md section 4.2.
class ControlCarriageTest {
  private final LoopbackRig rig = new LoopbackRig();
  private final Endpoints to = Endpoints.ipv4(5000, 7, 53);

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] packet() {
    return PacketForge.udp(to, new byte[100]);
  }

  private void toControl() {
    rig.connect();
    rig.agent.carryBy(Carrier.CONTROL);
    rig.drain(rig.agent);
    rig.deliverControl();
  }

  @Test
  void aSessionThatNoDatagramReachesByUdpIsCarriedByTheControlConnectionBothWays() {
    toControl();
    rig.offer(rig.agent, packet());
    rig.passDeadline(rig.agent);
    rig.deliverControl();
    assertThat(rig.atSnapt).hasSize(1);
    rig.offer(rig.snapt, PacketForge.udp(to.reversed(), new byte[100]));
    rig.passDeadline(rig.snapt);
    rig.deliverControl();
    assertThat(rig.atAgent).hasSize(1);
    assertThat(rig.up).isEmpty();
    assertThat(rig.down).isEmpty();
    assertThat(rig.snapt.binding()).as("no datagram came by UDP").isNull();
  }

  @Test
  void theLastPieceOfALongBodyIsAFrameHoweverShortItIs() throws Exception {
    Endpoints web = Endpoints.ipv4(5001, 7, 443);
    rig.open(PacketForge.tcp(web, 1, PacketForge.ACK, new byte[10]));
    toControl();
    SplittableRandom random = new SplittableRandom(1);
    int shortest = Integer.MAX_VALUE;
    for (int payload = 20_000; payload < 21_500; payload++) {
      byte[] random20k = new byte[payload];
      random.nextBytes(random20k);
      byte[] packet = PacketForge.tcp(web, 11, PacketForge.ACK, random20k);
      rig.offer(rig.agent, PacketForge.checksum(packet, 1), 1_380, true);
      rig.send(rig.agent);
      ByteBuf frames = Unpooled.buffer();
      for (byte[] datagram : rig.upControl) {
        ControlFrame.writeDatagrams(Unpooled.wrappedBuffer(datagram), datagram.length, frames);
      }
      for (byte[] datagram : rig.upControl) {
        ByteBuf read = ControlFrame.readDatagram(frames, UnpooledByteBufAllocator.DEFAULT);
        assertThat(read).as("%d bytes", datagram.length).isNotNull();
        assertThat(read.readableBytes()).isEqualTo(datagram.length);
        read.release();
        shortest = Math.min(shortest, datagram.length);
      }
      rig.upControl.clear();
      rig.nowNs += 10_000_000;
    }
    assertThat(shortest).isEqualTo(12);
  }

  @Test
  void probesAreAnsweredByTheCarrierTheyCameBy() {
    toControl();
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    rig.agent.probe(0, rig.agent.carrier(), rig.nowNs);
    rig.drain(rig.agent);
    assertThat(rig.up).hasSize(1);
    assertThat(rig.upControl).hasSize(1);
    rig.receive(rig.snapt, rig.up.remove());
    rig.drain(rig.snapt);
    assertThat(rig.down).hasSize(1);
    assertThat(rig.downControl).isEmpty();
    assertThat(rig.snapt.carrier()).as("a probe changes no carrier").isEqualTo(Carrier.CONTROL);
  }

  @Test
  void theAgentMovesDataBackToUdpAndADelayedOlderRequestChangesNothing() {
    rig.open(packet());
    rig.connect();
    rig.agent.carryBy(Carrier.UDP);
    rig.drain(rig.agent);
    byte[] heldBack = rig.up.remove();
    rig.agent.carryBy(Carrier.CONTROL);
    rig.drain(rig.agent);
    rig.deliverControl();
    assertThat(rig.snapt.carrier()).isEqualTo(Carrier.CONTROL);
    assertThat(rig.receive(rig.snapt, heldBack)).isEqualTo(Verdict.PATH_UNEXPECTED);
    assertThat(rig.snapt.carrier()).isEqualTo(Carrier.CONTROL);
    rig.agent.carryBy(Carrier.UDP);
    rig.drain(rig.agent);
    rig.deliver();
    assertThat(rig.snapt.carrier()).isEqualTo(Carrier.UDP);
    assertThat(rig.snapt.binding()).isEqualTo(LoopbackRig.AGENT);
  }

  @Test
  void aCarrierRequestCountsOnlyIfItComesByThatCarrier() {
    rig.connect();
    rig.agent.carryBy(Carrier.CONTROL);
    rig.drain(rig.agent);
    assertThat(rig.receive(rig.snapt, rig.upControl.remove())).isEqualTo(Verdict.PATH_UNEXPECTED);
    assertThat(rig.snapt.carrier()).isEqualTo(Carrier.UDP);
  }

  @Test
  void aDatagramReceivedByOneCarrierIsAReplayByTheOther() {
    toControl();
    rig.offer(rig.agent, packet());
    rig.passDeadline(rig.agent);
    byte[] datagram = rig.upControl.peek();
    rig.deliverControl();
    assertThat(rig.receive(rig.snapt, datagram)).isEqualTo(Verdict.REPLAYED);
    assertThat(rig.receive(rig.snapt, datagram, null)).isEqualTo(Verdict.REPLAYED);
    assertThat(rig.atSnapt).hasSize(1);
  }

  @Test
  void theCarrierIsUdpAgainWhenTheControlConnectionIsGone() {
    rig.open(packet());
    toControl();
    rig.snapt.control(null);
    rig.agent.control(null);
    assertThat(rig.agent.carrier()).isEqualTo(Carrier.UDP);
    rig.offer(rig.snapt, PacketForge.udp(to.reversed(), new byte[100]));
    rig.passDeadline(rig.snapt);
    assertThat(rig.down).isNotEmpty();
    assertThat(rig.downControl).isEmpty();
  }

  @Test
  void aFullUdpSocketDoesNotBlockTheControlConnection() {
    rig.connect();
    DatagramSink shut =
        new DatagramSink() {
          @Override
          public boolean isWritable() {
            return false;
          }

          @Override
          public void send(
              ByteBuf burst, int segmentSize, java.net.InetSocketAddress address, long now) {
            throw new IllegalStateException("not writable");
          }
        };
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    rig.agent.carryBy(Carrier.CONTROL);
    assertThat(rig.agent.drain(shut, rig.nowNs)).as("the probe waits").isTrue();
    assertThat(rig.upControl).hasSize(1);
  }

  @Test
  void theControlLineAcceptsABoundedNumberOfBytesAndReportsWhenItAcceptsMore() {
    Deque<Runnable> taken = new ArrayDeque<>();
    List<String> calls = new ArrayList<>();
    ControlLine line =
        new ControlLine(
            (frames, done) -> {
              frames.release();
              taken.add(done);
            },
            UnpooledByteBufAllocator.DEFAULT,
            Runnable::run,
            () -> calls.add("writable"));
    int bursts = 0;
    while (line.isWritable()) {
      line.send(Unpooled.buffer().writeZero(14_000), 1400, null, 0);
      bursts++;
    }
    int most = ControlFrame.DATAGRAM_BYTES_WAITING_MAX;
    assertThat(bursts).isEqualTo((most + 14_039) / 14_040);
    taken.remove().run();
    assertThat(calls).as("half of the bytes must leave first").isEmpty();
    while (!taken.isEmpty()) {
      taken.remove().run();
    }
    assertThat(calls).containsExactly("writable");
    assertThat(line.isWritable()).isTrue();
  }
}
