package io.viaduct.testbed.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopbackTrafficTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @Test
  void requestsOfEverySizeAreAnswered() throws IOException {
    try (var listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(LOOPBACK, 0));
      Thread.ofPlatform().daemon().start(() -> Exchanges.serve(listener));
      var to = (InetSocketAddress) listener.getLocalAddress();
      for (int size : Exchanges.SIZES) {
        long answered =
            Exchanges.run(to, EnglishText.of(size), 0, System::nanoTime).getTotalCount();
        assertThat(answered).as("requests of %d bytes", size).isPositive();
      }
    }
  }

  @Test
  void aPacedStreamKeepsARateAboveItsPauses() throws IOException {
    var clock = new AtomicInteger();
    try (var sink = new DatagramSocket(0, LOOPBACK)) {
      PacedStream.Result result =
          PacedStream.run(
              new InetSocketAddress(LOOPBACK, sink.getLocalPort()),
              new byte[PacedStream.VOICE_BYTES],
              10_000,
              () -> clock.get() < 200,
              () -> clock.getAndIncrement() * 1_000_000L);
      assertThat(result.sent()).isGreaterThan(1_000);
    }
  }

  /// Returns every packet to its sender but each tenth one, until the socket is closed.
  private static void returnMost(DatagramSocket farEnd) {
    var packet = new DatagramPacket(new byte[PacedStream.VOICE_BYTES], PacedStream.VOICE_BYTES);
    try {
      while (true) {
        farEnd.receive(packet);
        if (ByteBuffer.wrap(packet.getData()).getLong() % 10 != 0) {
          farEnd.send(packet);
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  @Test
  void whatIsLostOfAStreamBelongsToThePartInWhichItWasSent() throws IOException {
    var clock = new AtomicInteger();
    try (var farEnd = new DatagramSocket(0, LOOPBACK)) {
      Thread.ofPlatform().daemon().start(() -> returnMost(farEnd));
      List<PacedStream.Result> parts =
          PacedStream.run(
              new InetSocketAddress(LOOPBACK, farEnd.getLocalPort()),
              new byte[PacedStream.VOICE_BYTES],
              500,
              3,
              () -> Math.min(3, clock.get() / 400),
              () -> clock.getAndIncrement() * 1_000_000L);
      long first = 0;
      for (PacedStream.Result part : parts) {
        long end = first + part.sent();
        assertThat(part.sent()).isGreaterThan(50);
        assertThat(part.lost()).isEqualTo((end + 9) / 10 - (first + 9) / 10);
        first = end;
      }
      assertThat(parts).hasSize(3);
    }
  }
}
