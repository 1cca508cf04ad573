package io.viaduct.cnapt.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoutingHookTest {
  @TempDir private Path directory;

  private Path socket;
  private RoutingHook hook;

  @BeforeEach
  void open() throws IOException {
    socket = directory.resolve("run/flows.sock");
    hook = RoutingHook.open(socket, reader -> reader.accept("{\"open\":1}"));
  }

  @AfterEach
  void close() {
    hook.close();
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(socket));
  }

  private static BufferedReader lines(SocketChannel of) {
    return new BufferedReader(
        new InputStreamReader(Channels.newInputStream(of), StandardCharsets.UTF_8));
  }

  @Test
  void aReaderGetsWhatIsOpenAndThenEveryLineInOrder() throws IOException {
    try (SocketChannel channel = connect();
        BufferedReader lines = lines(channel)) {
      assertThat(lines.readLine()).isEqualTo("{\"open\":1}");
      for (int i = 0; i < 100; i++) {
        hook.publish("{\"n\":" + i + "}");
      }
      for (int i = 0; i < 100; i++) {
        assertThat(lines.readLine()).isEqualTo("{\"n\":" + i + "}");
      }
    }
    await().until(() -> hook.readers() == 0);
    assertThat(hook.slow()).isZero();
  }

  @Test
  void aReaderThatDoesNotReadIsCutAndCountedAndTheOthersGoOn() throws IOException {
    String line = "x".repeat(10_000);
    try (SocketChannel lazy = connect();
        SocketChannel eager = connect();
        BufferedReader lines = lines(eager)) {
      await().until(() -> hook.readers() == 2);
      lines.readLine();
      int published = 0;
      while (hook.readers() == 2) {
        hook.publish(line);
        published++;
        assertThat(lines.readLine()).isEqualTo(line);
        assertThat(published).as("1 MB and what the kernel takes").isLessThan(1_000);
      }
      assertThat(hook.slow()).isEqualTo(1);
      assertThat(published).isGreaterThan(HookReader.BYTES_MAX / line.length());
      hook.publish("more");
      assertThat(lines.readLine()).isEqualTo("more");
      assertThat(lazy.isOpen()).isTrue();
    }
  }

  @Test
  void onlyTheUserWhoRunsTheAgentMayRead() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-------");
    try (var files = Files.list(socket.getParent())) {
      assertThat(files).as("where it was bound is gone").containsExactly(socket);
    }
  }

  @Test
  void moreReadersThanEightAreRefusedAndCounted() throws IOException {
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < RoutingHook.READERS_MAX; i++) {
        channels.add(connect());
      }
      await().until(() -> hook.readers() == RoutingHook.READERS_MAX);
      try (SocketChannel more = connect();
          BufferedReader lines = lines(more)) {
        assertThat(lines.readLine()).isNull();
      }
      await().atMost(Duration.ofSeconds(10)).until(() -> hook.refused() == 1);
    } finally {
      for (SocketChannel each : channels) {
        each.close();
      }
    }
  }

  @Test
  void theSocketOfALiveProcessIsNotReplacedAndThatOfADeadOneIs() throws IOException {
    assertThatThrownBy(() -> RoutingHook.open(socket, _ -> {}))
        .hasMessageStartingWith("routing-hook.socket: another process listens on ");
    hook.close();
    assertThat(socket).doesNotExist();
    try (var stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      stale.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(socket).exists();
    hook = RoutingHook.open(socket, _ -> {});
    try (SocketChannel channel = connect()) {
      assertThat(channel.isConnected()).isTrue();
    }
  }
}
