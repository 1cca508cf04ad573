package io.viaduct.cnapt.hook;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Passes lines to the readers of a Unix socket with file mode 600. A reader that is slower than
/// [HookReader#BYTES_MAX] loses its connection; nobody waits for it. Any thread may call the
/// methods.
public final class RoutingHook implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoutingHook.class);

  /// Most readers at a time.
  static final int READERS_MAX = 8;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Path socket;
  private final ServerSocketChannel server;
  private final List<HookReader> readers = new CopyOnWriteArrayList<>();
  private final AtomicLong slow = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  private RoutingHook(Path socket, ServerSocketChannel server) {
    this.socket = socket;
    this.server = server;
  }

  /// Opens the socket. That of a dead process is replaced.
  ///
  /// @param begun called with each new reader, on a thread of its own; it then gets the lines of
  ///   [#publish] too
  /// @throws IOException if the socket cannot be created; the message names the key and says why
  public static RoutingHook open(Path socket, Consumer<Consumer<String>> begun) throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
    if (Files.exists(socket)) {
      if (answers(address)) {
        throw new IOException(
            "routing-hook.socket: another process listens on %s: stop that process first"
                .formatted(socket));
      }
      Files.delete(socket);
    }
    if (socket.toAbsolutePath().getParent() instanceof Path folder) {
      Files.createDirectories(folder);
    }
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      bind(server, socket);
    } catch (IOException e) {
      server.close();
      throw new IOException(
          "routing-hook.socket: cannot listen on %s: %s".formatted(socket, e.getMessage()), e);
    }
    RoutingHook hook = new RoutingHook(socket, server);
    Thread.ofVirtual().name("routing-hook").start(() -> hook.accept(begun));
    return hook;
  }

  // The mode of a socket can only be set afterwards. Until then nobody reaches it: it is in a
  // directory of mode 700, which createTempDirectory makes.
  private static void bind(ServerSocketChannel server, Path socket) throws IOException {
    Path folder = Files.createTempDirectory(socket.toAbsolutePath().getParent(), ".");
    Path hidden = folder.resolve("s");
    try {
      server.bind(UnixDomainSocketAddress.of(hidden));
      Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
      Files.move(hidden, socket, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(hidden);
      Files.delete(folder);
    }
  }

  private static boolean answers(UnixDomainSocketAddress address) {
    try (SocketChannel _ = SocketChannel.open(address)) {
      return true;
    } catch (IOException _) {
      return false; // no process listens: the socket is stale
    }
  }

  private void accept(Consumer<Consumer<String>> begun) {
    while (server.isOpen()) {
      try {
        SocketChannel accepted = server.accept();
        if (readers.size() >= READERS_MAX) {
          refused.incrementAndGet();
          accepted.close();
          continue;
        }
        HookReader reader = new HookReader(accepted, this::ended);
        readers.add(reader);
        reader.start();
        begun.accept(line -> reader.offer(bytes(line)));
      } catch (IOException e) {
        if (server.isOpen()) {
          LOG.warn("routing hook: a reader was not accepted: {}", e.getMessage());
          pause(); // without file descriptors left, the next attempt fails at once as well
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void ended(HookReader reader, boolean tooSlow) {
    readers.remove(reader);
    if (tooSlow) {
      slow.incrementAndGet();
    }
  }

  private static byte[] bytes(String line) {
    return (line + '\n').getBytes(StandardCharsets.UTF_8);
  }

  /// Passes a line to each reader.
  public void publish(String line) {
    if (!readers.isEmpty()) {
      byte[] bytes = bytes(line);
      readers.forEach(each -> each.offer(bytes));
    }
  }

  /// Returns the number of readers.
  public int readers() {
    return readers.size();
  }

  /// Returns the number of readers that lost their connection because they were too slow.
  public long slow() {
    return slow.get();
  }

  /// Returns the number of readers that were refused because there were enough.
  public long refused() {
    return refused.get();
  }

  @Override
  public void close() {
    try {
      server.close();
      readers.forEach(HookReader::close);
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      LOG.warn("socket {} could not be closed: {}", socket, e.toString());
    }
  }
}
