package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.traffic.Connections.Connection;
import io.viaduct.testbed.traffic.Connections.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Connections by Multipath TCP over the loopback device.
class MptcpConnectionsTest {
  private static final Path ENABLED = Path.of("/proc/sys/net/mptcp/enabled");

  private final MptcpConnections connections = new MptcpConnections();

  @BeforeEach
  void kernelHasIt() throws IOException {
    assumeTrue(
        Files.exists(ENABLED) && Files.readString(ENABLED).strip().equals("1"),
        "the kernel has no MPTCP, or it is switched off");
  }

  private interface Both {
    void use(Connection near, Connection far) throws Exception;
  }

  private void connected(Both both) throws Exception {
    try (Listener listener = connections.listen(0);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var accepted =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return listener.accept();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              threads);
      var to = new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port());
      try (Connection near = connections.connect(to);
          Connection far = accepted.join()) {
        both.use(near, far);
      }
    }
  }

  @Test
  void theBytesArriveInOrder() throws Exception {
    byte[] bytes = new byte[1_000_000];
    new Random(1).nextBytes(bytes);
    connected((near, far) -> {
      CompletableFuture<byte[]> read =
          CompletableFuture.supplyAsync(() -> {
            try {
              return far.in().readNBytes(bytes.length);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      near.out().write(bytes);
      assertThat(Arrays.mismatch(read.join(), bytes)).as("first byte that differs").isNegative();
    });
  }

  @Test
  void theSenderHearsThatTheReaderHasClosed() throws Exception {
    connected((near, far) -> {
      far.close();
      assertThatThrownBy(
              () -> {
                while (true) {
                  near.out().write(new byte[65_536]);
                }
              })
          .isInstanceOf(IOException.class);
    });
  }
}
