package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// The sink of a path whose link is gone: nothing leaves by it.
enum ClosedSink implements DatagramSink {
  INSTANCE;

  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    burst.release();
    throw new IllegalStateException("asked to send although it was not writable");
  }
}
