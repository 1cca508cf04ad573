package io.viaduct.bridge;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/// A TCP port of 127.0.0.1 for a server that starts later. The bound socket keeps the kernel from
/// giving the port to another connection; since it does not listen, a server with SO_REUSEADDR can
/// bind the same port.
public final class ReservedPort implements AutoCloseable {
  private final SocketChannel holder;
  private final int number;

  public ReservedPort() throws IOException {
    holder = SocketChannel.open();
    holder.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    holder.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    number = ((InetSocketAddress) holder.getLocalAddress()).getPort();
  }

  public int number() {
    return number;
  }

  @Override
  public void close() throws IOException {
    holder.close();
  }
}
