package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A few sockets on one address, each shared by many devices.
final class SharedSockets implements DeviceLines {
  private static final int SOCKETS = 16;

  private final List<UdpSockets> sockets = new ArrayList<>();

  SharedSockets(IoEventLoop loop, DatagramReader reader) throws SocketException {
    for (int i = 0; i < SOCKETS; i++) {
      var anywhere = new InetSocketAddress(SnaptProcess.ADDRESS, 0);
      sockets.add(
          UdpSockets.bind(List.of(loop), UdpSettings.at(anywhere).remembering(16), _ -> reader));
    }
  }

  private record Line(UdpSocket socket, InetSocketAddress snapt) implements DatagramSink {
    @Override
    public boolean isWritable() {
      return socket.isWritable();
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      SendResult unused =
          socket.send(burst, segmentSize, snapt); // the caller does not count losses
      burst.release();
    }
  }

  @Override
  public DatagramSink line(int number, InetSocketAddress snapt) {
    return new Line(sockets.get(number % SOCKETS).sockets().getFirst(), snapt);
  }

  @Override
  public void close() {
    sockets.forEach(UdpSockets::close);
  }
}
