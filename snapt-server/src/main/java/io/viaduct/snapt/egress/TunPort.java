package io.viaduct.snapt.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.snapt.relay.InternetPort;

/// An [InternetPort] on one queue of the TUN device. Allocates the read buffer of the queue.
record TunPort(TunQueue queue) implements InternetPort {
  @Override
  public void start(IoEventLoop loop, TunReader reader) {
    int bytes = VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX;
    queue.start(loop, ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes), 0, reader);
  }

  @Override
  public boolean takesUdpSuperpackets() {
    return queue.takesUdpSuperpackets();
  }

  @Override
  public WriteResult write(ByteBuf from, int headerOffset, int packetLength) {
    return queue.write(from, headerOffset, packetLength);
  }
}
