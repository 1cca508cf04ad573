package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/// Measures without iperf3: a sender of random bytes and a reader in this process. The first byte
/// asks the server to send or to read. A reader answers with the number of bytes that it has read.
final class SocketFlow implements TcpFlow {
  private static final int PORT = 7003;
  private static final int BUFFER_BYTES = 128 * 1024;
  private static final int SEND = 1;
  private static final int READ = 2;

  private final BenchNetwork network;
  private final LongSupplier nanoTime;

  SocketFlow(BenchNetwork network, LongSupplier nanoTime) {
    this.network = network;
    this.nanoTime = nanoTime;
    network
        .far()
        .call(() -> {
          var listener = new ServerSocket();
          listener.bind(new InetSocketAddress(PORT));
          Thread.ofVirtual().start(() -> serve(listener));
          return true;
        });
  }

  @Override
  public String tool() {
    return "own sender, one connection";
  }

  @Override
  public Transferred run(String target, boolean upload, int seconds) {
    return network
        .device()
        .call(() -> {
          try (var socket = new Socket(target, PORT)) {
            socket.getOutputStream().write(upload ? READ : SEND);
            long startNs = nanoTime.getAsLong();
            long endNs = startNs + seconds * 1_000_000_000L;
            long bytes =
                upload ? sendUntil(socket, endNs) : readUntil(socket.getInputStream(), endNs);
            return new Transferred(bytes, (nanoTime.getAsLong() - startNs) / 1e9);
          }
        });
  }

  private long sendUntil(Socket socket, long endNs) throws IOException {
    send(socket.getOutputStream(), endNs);
    socket.shutdownOutput();
    return new java.io.DataInputStream(socket.getInputStream()).readLong();
  }

  private void send(OutputStream out, long endNs) throws IOException {
    var noise = new byte[BUFFER_BYTES];
    new SplittableRandom(1).nextBytes(noise);
    while (nanoTime.getAsLong() - endNs < 0) {
      out.write(noise);
    }
  }

  private long readUntil(InputStream in, long endNs) throws IOException {
    var buffer = new byte[BUFFER_BYTES];
    long bytes = 0;
    for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
      bytes += count;
      if (nanoTime.getAsLong() - endNs > 0) {
        break;
      }
    }
    return bytes;
  }

  private void serve(ServerSocket listener) {
    while (true) {
      try {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> answer(socket));
      } catch (IOException e) {
        return; // the laboratory ends
      }
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      if (socket.getInputStream().read() == SEND) {
        send(socket.getOutputStream(), Long.MAX_VALUE);
      } else {
        long bytes = readUntil(socket.getInputStream(), Long.MAX_VALUE);
        new java.io.DataOutputStream(socket.getOutputStream()).writeLong(bytes);
      }
    } catch (IOException e) {
      // The reader has enough and closed the connection.
    }
  }
}
