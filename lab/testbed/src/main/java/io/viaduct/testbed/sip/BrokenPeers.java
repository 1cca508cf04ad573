package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/// TCP peers that begin and break: one after the other, in ways that networks and bad programs
/// have. Some stay open and silent until the server closes them, or until there are too many.
final class BrokenPeers {
  private static final long EVERY_NS = 50_000_000; // 20 a second
  private static final int CONNECT_MS = 1_000;
  private static final int SILENT_MAX = 200;

  private static final String OPTIONS =
      """
      OPTIONS sip:%1$s SIP/2.0\r
      Via: SIP/2.0/TCP 192.0.2.9:5060;branch=z9hG4bK%2$d\r
      From: <sip:broken@%1$s>;tag=1\r
      To: <sip:%1$s>\r
      Call-ID: %2$d\r
      CSeq: 1 OPTIONS\r
      Max-Forwards: 70\r
      Content-Length: %3$d\r
      \r
      """;

  /// The ways in which a peer breaks.
  private enum Break {
    HALF_A_REQUEST,
    NO_ANSWER_READ,
    GARBAGE,
    SILENT,
    BODY_WITHOUT_END
  }

  private final ArrayDeque<Socket> silent = new ArrayDeque<>();
  private final Random random;
  private volatile boolean isOver;
  private long begun;

  private BrokenPeers(long seed) {
    random = new Random(seed);
  }

  /// Begins in a thread of its own.
  static Running start(NetworkNamespace namespace, int port, long seed) {
    BrokenPeers peers = new BrokenPeers(seed);
    return new Running(peers, namespace.start("broken-peers", () -> peers.run(port)));
  }

  /// Peers that come until this is closed.
  record Running(BrokenPeers peers, CompletableFuture<Long> ended) {
    /// Ends them. @return how many have come
    long stop() {
      peers.isOver = true;
      return ended.join();
    }
  }

  private long run(int port) throws IOException {
    while (!isOver) {
      LockSupport.parkNanos(EVERY_NS);
      peer(port, Break.values()[random.nextInt(Break.values().length)]);
    }
    while (!silent.isEmpty()) {
      reset(silent.remove());
    }
    return begun;
  }

  private void peer(int port, Break how) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(Sipp.SERVER, port), CONNECT_MS);
      begun++;
      socket.getOutputStream().write(bytes(how));
    } catch (IOException _) {
      reset(socket); // the server is at its limit of connections, or has closed
      return;
    }
    if (how == Break.SILENT || how == Break.BODY_WITHOUT_END) {
      silent.add(socket);
      if (silent.size() > SILENT_MAX) {
        reset(silent.remove());
      }
    } else {
      reset(socket);
    }
  }

  private byte[] bytes(Break how) {
    String request =
        OPTIONS.formatted(Plans.DOMAIN, begun, how == Break.BODY_WITHOUT_END ? 1_000 : 0);
    return switch (how) {
      case HALF_A_REQUEST -> ascii(request.substring(0, random.nextInt(request.length())));
      case NO_ANSWER_READ, BODY_WITHOUT_END -> ascii(request);
      case SILENT -> new byte[0];
      case GARBAGE -> {
        byte[] noise = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(noise);
        yield noise;
      }
    };
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Closes as a peer whose process has died: what it had received and not read makes the kernel
  /// send RST.
  private static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }
}
