package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Sends sealed datagrams into a control connection, as frames. At most
/// [ControlFrame#DATAGRAM_BYTES_WAITING_MAX] and one burst are in flight to the socket at a time.
/// The rest waits in the session's queues, where the classes are known. So a control message never
/// waits behind more than that. Owned by the session's event loop.
public final class ControlLine implements DatagramSink {
  /// Writing side of the control connection. Called on the session's event loop, which may not be
  /// the connection's.
  public interface Connection {
    /// Writes frames.
    ///
    /// @param frames buffer that the connection now owns
    /// @param taken callback for any thread, to run when the socket has the frames or the
    ///   connection is closed
    void write(ByteBuf frames, Runnable taken);
  }

  private final Connection connection;
  private final ByteBufAllocator allocator;
  private final Executor loop;
  private final Runnable writable;
  private int waitingBytes;
  private boolean full;

  /// Creates the sink of one session.
  ///
  /// @param loop the session's event loop
  /// @param writable callback on the loop, to run when the connection accepts more again
  public ControlLine(
      Connection connection, ByteBufAllocator allocator, Executor loop, Runnable writable) {
    this.connection = connection;
    this.allocator = allocator;
    this.loop = loop;
    this.writable = writable;
  }

  @Override
  public boolean isWritable() {
    full = waitingBytes >= ControlFrame.DATAGRAM_BYTES_WAITING_MAX;
    return !full;
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
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
