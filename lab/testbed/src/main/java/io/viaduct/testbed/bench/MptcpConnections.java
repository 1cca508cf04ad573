package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.viaduct.testbed.traffic.Connections;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/// Byte streams by Multipath TCP of the kernel.
final class MptcpConnections implements Connections {
  private static final int BUFFER_BYTES = 256 * 1024;

  @Override
  public Listener listen(int port) {
    MptcpSocket socket =
        MptcpSocket.listen(new InetSocketAddress("0.0.0.0", port)).waitsAtMost(TIMEOUT_MS);
    return new Listener() {
      @Override
      public int port() {
        return socket.port();
      }

      @Override
      public Connection accept() {
        return new Open(socket.accept());
      }

      @Override
      public void close() {
        socket.close();
      }
    };
  }

  @Override
  public Connection connect(InetSocketAddress to) {
    return new Open(MptcpSocket.connect(to));
  }

  /// An end that one thread uses.
  private static final class Open implements Connection {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    private final MptcpSocket socket;

    Open(MptcpSocket socket) {
      this.socket = socket.waitsAtMost(TIMEOUT_MS);
    }

    @Override
    public InputStream in() {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          int count = socket.read(buffer, 0, Math.min(length, BUFFER_BYTES));
          if (count < 0) {
            throw new IOException("the MPTCP connection gave nothing for a while, or broke");
          }
          MemorySegment.copy(buffer, JAVA_BYTE, 0, into, offset, count);
          return count == 0 && length > 0 ? -1 : count;
        }
      };
    }

    @Override
    public OutputStream out() {
      return new OutputStream() {
        @Override
        public void write(int octet) throws IOException {
          write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
          for (int done = 0; done < length; ) {
            int next = Math.min(length - done, BUFFER_BYTES);
            MemorySegment.copy(from, offset + done, buffer, JAVA_BYTE, 0, next);
            int count = socket.write(buffer, 0, next);
            if (count <= 0) {
              throw new EOFException("the MPTCP connection takes nothing more");
            }
            done += count;
          }
        }
      };
    }

    @Override
    public void close() {
      if (arena.scope().isAlive()) {
        socket.abort();
        arena.close();
      }
    }
  }
}
