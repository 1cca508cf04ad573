package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Many TCP connections through the tunnel. Each sends a piece of random bytes regularly and reads
/// it back, byte by byte as it was sent.
final class EchoFlows {
  private static final int PIECE_BYTES = 512;
  private static final long PERIOD_NS = 50_000_000;
  private static final int PATIENCE_MS = 20_000;

  private final List<Socket> sockets;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final AtomicLong broken = new AtomicLong();
  private final AtomicLong pieces = new AtomicLong();
  private final AtomicLong longestNs = new AtomicLong();

  private EchoFlows(List<Socket> sockets) {
    this.sockets = sockets;
  }

  /// Opens connections from one namespace to another, and starts them.
  static EchoFlows start(
      NetworkNamespace device, NetworkNamespace server, String address, int count, long seed) {
    ServerSocket listener =
        server.call(() -> new ServerSocket(0, count, InetAddress.getByName(address)));
    Thread.ofPlatform().daemon().name("echo-accept").start(() -> accept(listener));
    List<Socket> opened =
        device.call(() -> {
          List<Socket> all = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            Socket each = new Socket();
            each.connect(new InetSocketAddress(address, listener.getLocalPort()), PATIENCE_MS);
            each.setTcpNoDelay(true);
            each.setSoTimeout(PATIENCE_MS);
            all.add(each);
          }
          return all;
        });
    EchoFlows flows = new EchoFlows(opened);
    for (int i = 0; i < count; i++) {
      Socket socket = opened.get(i);
      Random random = new Random(seed + i);
      flows.threads.add(
          Thread.ofPlatform().daemon().name("echo-" + i).start(() -> flows.run(socket, random)));
    }
    return flows;
  }

  private static void accept(ServerSocket listener) {
    try (listener) {
      while (true) {
        Socket accepted = listener.accept();
        Thread.ofPlatform().daemon().name("echo-back").start(() -> back(accepted));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private static void back(Socket accepted) {
    byte[] buffer = new byte[PIECE_BYTES];
    try (accepted) {
      accepted.setTcpNoDelay(true);
      InputStream in = accepted.getInputStream();
      OutputStream out = accepted.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
      }
    } catch (IOException _) {
      // the device's end sees it too, and counts it
    }
  }

  private void run(Socket socket, Random random) {
    byte[] piece = new byte[PIECE_BYTES];
    byte[] seen = new byte[PIECE_BYTES];
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      long dueNs = System.nanoTime() + (long) (random.nextDouble() * PERIOD_NS);
      while (going.get()) {
        LockSupport.parkNanos(dueNs - System.nanoTime());
        random.nextBytes(piece);
        long sentNs = System.nanoTime();
        socket.getOutputStream().write(piece);
        in.readFully(seen);
        long tookNs = System.nanoTime() - sentNs;
        longestNs.accumulateAndGet(tookNs, Math::max);
        if (!Arrays.equals(piece, seen)) {
          throw new IOException("other bytes came back");
        }
        pieces.incrementAndGet();
        dueNs = Math.max(dueNs + PERIOD_NS, System.nanoTime());
      }
    } catch (IOException e) {
      broken.incrementAndGet();
      System.out.println("a connection broke: " + e);
    }
  }

  /// Returns the number of connections that were reset, stood still for 20 s, or got other bytes.
  long broken() {
    return broken.get();
  }

  /// Returns the pieces that came back.
  long pieces() {
    return pieces.get();
  }

  /// Returns the longest time from sending a piece to its return since the last call, in ms.
  double takeLongestMs() {
    return longestNs.getAndSet(0) / 1e6;
  }

  /// Ends the connections, after the pieces that are on their way.
  void stop() throws InterruptedException {
    going.set(false);
    for (Thread each : threads) {
      each.join(TimeUnit.SECONDS.toMillis(25));
    }
    for (Socket each : sockets) {
      try {
        each.close();
      } catch (IOException _) {
        // it is broken
      }
    }
  }
}
