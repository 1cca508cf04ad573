package io.viaduct.testbed.sessions;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.testbed.libc.LibraryCall;
import io.viaduct.tunnel.session.DatagramSink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// One socket for very many devices, each with an address of its own in 127.0.0.0/8 (IP_PKTINFO).
/// One system call sends or receives up to 64 bursts, so that one core of the generator can load
/// one core of the SNAPT. Nothing is sent before [#flush], nothing is received outside [#poll].
final class ManyAddresses implements DeviceLines {
  private static final int FIRST = 127 << 24 | 1 << 16 | 1; // 127.1.0.1
  private static final int BUFFER = 8 << 20;
  private static final int MSG_DONTWAIT = 0x40;

  private final Arena arena = Arena.ofShared();
  private final int file = LibraryCall.SOCKET.check(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
  private final MemorySegment peer = arena.allocate(16, 8); // struct sockaddr_in
  private final MessageArray sending = new MessageArray(arena);
  private final MessageArray receiving = new MessageArray(arena);
  private final ByteBuf sent = Unpooled.wrappedBuffer(sending.bytes().asByteBuffer());
  private final ByteBuf received = Unpooled.wrappedBuffer(receiving.bytes().asByteBuffer());
  private final DatagramReader reader;
  private int waiting;

  ManyAddresses(DatagramReader reader) {
    this.reader = reader;
    require(Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, BUFFER); // up to net.core.rmem_max
    require(Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, BUFFER);
    require(Sockets.SOL_UDP, Sockets.UDP_GRO, 1);
    peer.set(JAVA_SHORT, 0, (short) Sockets.AF_INET);
    LibraryCall.BIND.check(file, peer.address(), peer.byteSize());
  }

  private void require(int level, int name, int value) {
    MemorySegment number = arena.allocateFrom(JAVA_INT, value);
    if (LibraryCall.SETSOCKOPT.call(file, level, name, number.address(), Integer.BYTES) < 0) {
      throw new IllegalStateException("setsockopt refuses option " + name + " of level " + level);
    }
  }

  @Override
  public DatagramSink line(int number, InetSocketAddress snapt) {
    byte[] address = snapt.getAddress().getAddress();
    peer.set(JAVA_SHORT, 2, Short.reverseBytes((short) snapt.getPort()));
    MemorySegment.copy(address, 0, peer, JAVA_BYTE, 4, address.length);
    return new Line(Integer.reverseBytes(FIRST + number));
  }

  private final class Line implements DatagramSink {
    private final int source;

    Line(int source) {
      this.source = source;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      if (waiting == MessageArray.COUNT) {
        flush();
      }
      int length = burst.readableBytes();
      sent.setBytes(waiting * MessageArray.ROOM, burst);
      burst.release();
      sending.sends(waiting, peer, length, source, segmentSize);
      waiting++;
    }
  }

  /// Sends what waits. Messages that the socket refuses are lost.
  void flush() {
    int done = 0;
    while (done < waiting) {
      done += Math.max(1, LibraryCall.SENDMMSG.call(file, sending.address(done), waiting - done));
    }
    waiting = 0;
  }

  /// Gives the reader the datagrams that have arrived, at most one call's worth.
  void poll(InetSocketAddress from) {
    receiving.receives();
    int messages =
        LibraryCall.RECVMMSG.call(file, receiving.address(0), MessageArray.COUNT, MSG_DONTWAIT, 0);
    for (int i = 0; i < messages; i++) {
      int start = i * MessageArray.ROOM;
      int end = start + receiving.arrived(i);
      int size = receiving.segmentSize(i);
      for (int at = start; at < end; at += size) {
        reader.datagram(received.setIndex(at, Math.min(at + size, end)), from);
      }
    }
  }

  @Override
  public void close() {
    LibraryCall.CLOSE.check(file, 0, 0);
    arena.close();
  }
}
