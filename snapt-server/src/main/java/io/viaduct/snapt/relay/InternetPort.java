package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.WriteResult;

/// The access of one event loop to the Internet: a queue of the TUN device.
public interface InternetPort {
  /// Starts to pass packets to the reader, on the loop.
  void start(IoEventLoop loop, TunReader reader);

  /// Returns true if [#write] accepts UDP superpackets.
  boolean takesUdpSuperpackets();

  /// Sends a packet to the Internet. Must be called on the loop. The layout of the buffer is that
  /// of [io.viaduct.host.tun.TunQueue#write].
  WriteResult write(ByteBuf from, int headerOffset, int packetLength);
}
