package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.control.ControlFrame;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Sealed datagrams on their way into a control connection, as frames. At most
/// [ControlFrame#DATAGRAM_BYTES_WAITING_MAX] and one burst are on their way at a time: the rest
/// waits in the session's queues, where the classes are known, and a control message is never
/// behind more than that. Owned by the session's event loop.
public final class ControlLine implements DatagramSink {
  /// The control connection; called on the session's event loop, which may not be its own.
  public interface Connection {
    /// @param frames becomes the connection's
    /// @param taken run, on any thread, when the socket has them or the connection is gone
    void write(ByteBuf frames, Runnable taken);
  }

  private final Connection connection;
  private final ByteBufAllocator allocator;
  private final Executor loop;
  private final Runnable writable;
  private int waitingBytes;
  private boolean full;

  /// @param loop the session's event loop
  /// @param writable run on it when the connection takes more again
  public ControlLine(
      Connection connection, ByteBufAllocator allocator, Executor loop, Runnable writable) {
    this.connection = connection;
    this.allocator = allocator;
    this.loop = loop;
    this.writable = writable;
  }

  @Override
  public boolean writable() {
    full = waitingBytes >= ControlFrame.DATAGRAM_BYTES_WAITING_MAX;
    return !full;
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to) {
    int datagrams = (burst.readableBytes() + segmentSize - 1) / segmentSize;
    int bytes = burst.readableBytes() + datagrams * ControlFrame.HEADER_BYTES;
    ByteBuf frames = allocator.directBuffer(bytes, bytes);
    ControlFrame.writeDatagrams(burst, segmentSize, frames);
    burst.release();
    waitingBytes += bytes;
    connection.write(frames, () -> loop.execute(() -> taken(bytes)));
  }

  private void taken(int bytes) {
    waitingBytes -= bytes;
    if (full && waitingBytes < ControlFrame.DATAGRAM_BYTES_WAITING_MAX / 2) {
      full = false;
      writable.run();
    }
  }
}
