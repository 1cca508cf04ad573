package io.viaduct.testbed.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
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
}
