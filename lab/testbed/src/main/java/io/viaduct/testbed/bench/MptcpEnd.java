package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// An end of a Multipath TCP connection. Messages follow each other in the byte stream.
final class MptcpEnd implements StreamEnd {
  private static final int BUFFER_BYTES = 65_536;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment outgoing = arena.allocate(BYTES);
  private final MemorySegment incoming = arena.allocate(BUFFER_BYTES);
  private final MptcpSocket socket;
  private final @Nullable MptcpSocket listener;
  private int filled;
  private int taken;
  private volatile boolean isClosed;

  /// @param listener closed with the end
  private MptcpEnd(MptcpSocket socket, @Nullable MptcpSocket listener) {
    this.socket = socket.waitsAtMost(PATIENCE_MS).withoutDelay();
    this.listener = listener;
  }

  /// Connects from the calling thread's namespace.
  static MptcpEnd connect(InetSocketAddress to) {
    return new MptcpEnd(MptcpSocket.connect(to), null);
  }

  /// Waits for the connection. The end owns the listener.
  static MptcpEnd accept(MptcpSocket listener) {
    return new MptcpEnd(listener.accept(), listener);
  }

  @Override
  public boolean isReady() {
    return true;
  }

  /// Waits while the kernel's buffer is full. After a failure the connection carries nothing more.
  @Override
  public void send(byte[] message) {
    MemorySegment.copy(message, 0, outgoing, JAVA_BYTE, 0, BYTES);
    int written = 0;
    while (written < BYTES && !isClosed) {
      int more = socket.write(outgoing, written, BYTES - written);
      written += Math.max(0, more);
      rest(more);
    }
  }

  @Override
  public boolean receive(byte[] message) {
    if (filled - taken < BYTES) {
      MemorySegment.copy(incoming, taken, incoming, 0, filled - taken);
      filled -= taken;
      taken = 0;
      int more = socket.read(incoming, filled, BUFFER_BYTES - filled);
      filled += Math.max(0, more);
      rest(more);
      if (filled < BYTES) {
        return false;
      }
    }
    MemorySegment.copy(incoming, JAVA_BYTE, taken, message, 0, BYTES);
    taken += BYTES;
    return true;
  }

  // A broken connection fails at once, again and again.
  private static void rest(int result) {
    if (result <= 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /// Ends a sender that waits for the kernel's buffer.
  @Override
  public void stop() {
    isClosed = true;
  }

  @Override
  public void close() {
    isClosed = true;
    socket.close();
    if (listener != null) {
      listener.close();
    }
    arena.close();
  }
}
