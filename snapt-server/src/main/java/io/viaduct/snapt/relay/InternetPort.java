package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.WriteResult;

/// One event loop's opening to the Internet: a queue of the TUN device.
public interface InternetPort {
  /// Begins to give packets to a reader, on the loop.
  void start(IoEventLoop loop, TunReader reader);

  /// Whether [#write] takes UDP superpackets.
  boolean takesUdpSuperpackets();

  /// Takes a packet, on the loop. The form is that of [io.viaduct.host.tun.TunQueue#write].
  WriteResult write(ByteBuf from, int headerOffset, int packetLength);
}
