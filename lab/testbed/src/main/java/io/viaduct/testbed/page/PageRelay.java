package io.viaduct.testbed.page;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// Copies connections from one listening socket to one address. Two relays make the laboratory's
/// page reachable. The outer one leads from 127.0.0.1:port to a Unix socket, the inner one from
/// there to the page. Both namespaces see the file of the Unix socket.
public final class PageRelay {
  private static final String SOCKET = "page.sock";
  private static final String PORT = "page.port";
  private static final int BUFFER_BYTES = 16 * 1024;

  private PageRelay() {}

  /// Runs the outer relay as a program. It listens on a free port of the caller's loopback and
  /// writes the port to `<directory>/page.port`.
  static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    try (var listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
      Path written = Files.writeString(directory.resolve(PORT + ".new"), Integer.toString(port));
      Files.move(written, directory.resolve(PORT), StandardCopyOption.ATOMIC_MOVE);
      relay(listener, UnixDomainSocketAddress.of(directory.resolve(SOCKET)));
    }
  }

  /// Starts the inner relay, which runs as long as this process.
  public static void startInside(Path directory, InetSocketAddress page) throws IOException {
    var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(directory.resolve(SOCKET)));
    Thread.ofVirtual()
        .name("page-relay")
        .start(() -> {
          try (listener) {
            relay(listener, page);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  /// Returns the port of the outer relay, or 0 until it listens.
  public static int port(Path directory) {
    try {
      return Integer.parseInt(Files.readString(directory.resolve(PORT)).strip());
    } catch (IOException e) {
      return 0;
    }
  }

  private static void relay(ServerSocketChannel listener, SocketAddress target) throws IOException {
    while (true) {
      SocketChannel from = listener.accept();
      Thread.ofVirtual().start(() -> connect(from, target));
    }
  }

  private static void connect(SocketChannel from, SocketAddress target) {
    try (from;
        var to = SocketChannel.open(target)) {
      Thread back = Thread.ofVirtual().start(() -> copy(to, from));
      copy(from, to);
      back.join();
    } catch (IOException e) {
      // No process listens at the target: the caller sees its connection closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    var buffer = ByteBuffer.allocate(BUFFER_BYTES);
    try {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
      to.shutdownOutput();
    } catch (IOException e) {
      close(from);
      close(to);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The channel is closed in any case.
    }
  }
}
