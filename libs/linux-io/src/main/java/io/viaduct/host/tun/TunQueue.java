package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.ErrnoCounts;
import io.viaduct.host.linux.PolledDescriptor;
import io.viaduct.host.linux.SystemCalls;
import org.jspecify.annotations.Nullable;

/// One queue of a [TunDevice] on one event loop. Everything but [#close] and the counters is called
/// on that loop. No object is allocated per packet.
public final class TunQueue implements AutoCloseable, PolledDescriptor.Events {
  /// Packets read per wake-up before the loop continues with other work. Sixteen superpackets are
  /// one mebibyte, some 200 microseconds of copying.
  static final int PACKETS_PER_WAKE_UP = 16;

  private final SystemCalls calls = new SystemCalls();
  private final ErrnoCounts refusals = new ErrnoCounts();
  private final int fd;
  private final TunOffloads offloads;
  private @Nullable PolledDescriptor descriptor;
  private @Nullable TunReader reader;
  private @Nullable ByteBuf buffer;
  private int readOffset;
  private boolean isClosed;
  // Written by the loop, read by any thread. A reader may see an older value, but on 64 bits never
  // a torn one.
  private long packetsRead;
  private long bytesRead;
  private long packetsWritten;
  private long bytesWritten;

  TunQueue(int fd, TunOffloads offloads) {
    this.fd = fd;
    this.offloads = offloads;
  }

  /// Returns true if the kernel accepts UDP superpackets ([VirtioNetHeader#GSO_UDP_L4]).
  public boolean takesUdpSuperpackets() {
    return offloads == TunOffloads.CHECKSUM_TCP_UDP;
  }

  /// Starts to read on an event loop. May be called from any thread, once.
  ///
  /// @param loop of an `EpollIoHandler`
  /// @param buffer direct, owned by the caller; every packet is read into it at the same offset
  /// @param readOffset offset of each packet's virtio-net header; the bytes before it are the
  ///   caller's headroom
  public void start(IoEventLoop loop, ByteBuf buffer, int readOffset, TunReader reader) {
    if (!buffer.hasMemoryAddress()) {
      throw new IllegalArgumentException("the buffer must be direct, is " + buffer);
    }
    int wanted = readOffset + VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX;
    if (readOffset < 0 || buffer.capacity() < wanted) {
      throw new IllegalArgumentException(
          "the buffer must hold offset, header and the longest packet, %d bytes, holds %d"
              .formatted(wanted, buffer.capacity()));
    }
    if (descriptor != null || isClosed) {
      throw new IllegalStateException("this queue was started before, or is closed");
    }
    this.buffer = buffer;
    this.readOffset = readOffset;
    this.reader = reader;
    PolledDescriptor polled = new PolledDescriptor(loop, fd, this);
    descriptor = polled;
    loop.execute(() -> polled.reading(true));
  }

  /// Stops reading after the current packet. Packets then wait in the kernel's queue, which drops
  /// packets when it is full.
  public void pauseReading() {
    polled().reading(false);
  }

  /// Continues after [#pauseReading].
  public void resumeReading() {
    polled().reading(true);
  }

  @Override
  public void readable() {
    ByteBuf into = buffer;
    TunReader to = reader;
    PolledDescriptor polled = descriptor;
    if (into == null || to == null || polled == null) {
      return;
    }
    int bytesMax = VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX;
    int packets = 0;
    while (packets < PACKETS_PER_WAKE_UP && polled.isReading()) {
      long address = into.memoryAddress() + readOffset;
      int bytes =
          packets == 0
              ? calls.readPacket(fd, address, bytesMax)
              : calls.readMore(fd, address, bytesMax);
      if (bytes < VirtioNetHeader.LENGTH) {
        if (bytes < 0 && !Errno.isAgain(bytes)) {
          refusals.count(bytes);
          stopIfGone(bytes, polled);
        }
        break;
      }
      packets++;
      packetsRead++;
      bytesRead += bytes - VirtioNetHeader.LENGTH;
      to.packet(into, readOffset, bytes - VirtioNetHeader.LENGTH);
    }
    if (packets > 0) {
      to.batchEnd();
    }
  }

  // EBADFD: the device was deleted by others; epoll would report it without end.
  private static void stopIfGone(int result, PolledDescriptor polled) {
    if (Errno.of(result) == Errno.EBADFD) {
      polled.reading(false);
    }
  }

  @Override
  public void writable() {
    polled().writing(false);
    if (reader != null) {
      reader.writable();
    }
  }

  /// Writes a packet or superpacket to the kernel. Never blocks. Refused before the start and after
  /// the end.
  ///
  /// @param from direct; holds the header, followed by the packet
  /// @param headerOffset absolute index of the [VirtioNetHeader]
  /// @param packetLength bytes of the IP packet
  public WriteResult write(ByteBuf from, int headerOffset, int packetLength) {
    int bytes = VirtioNetHeader.LENGTH + packetLength;
    if (headerOffset < 0 || packetLength < 0 || headerOffset + bytes > from.capacity()) {
      throw new IndexOutOfBoundsException(
          "header at %d and packet of %d bytes do not lie in a buffer of %d"
              .formatted(headerOffset, packetLength, from.capacity()));
    }
    return write(from.memoryAddress() + headerOffset, bytes);
  }

  private WriteResult write(long address, int bytes) {
    PolledDescriptor polled = descriptor;
    int written =
        polled != null && polled.isOpen() ? calls.write(fd, address, bytes) : Errno.EBADF.result();
    if (written >= 0) {
      packetsWritten++;
      bytesWritten += bytes - VirtioNetHeader.LENGTH;
      return WriteResult.WRITTEN;
    }
    if (Errno.isAgain(written)) {
      polled().writing(true);
      return WriteResult.WOULD_BLOCK;
    }
    refusals.count(written);
    return WriteResult.REFUSED;
  }

  private PolledDescriptor polled() {
    PolledDescriptor polled = descriptor;
    if (polled == null) {
      throw new IllegalStateException("this queue has not been started");
    }
    return polled;
  }

  /// Returns the number of packets and superpackets read so far.
  public long packetsRead() {
    return packetsRead;
  }

  /// Returns the bytes of the packets read so far, IP headers included.
  public long bytesRead() {
    return bytesRead;
  }

  /// Returns the number of packets and superpackets written so far.
  public long packetsWritten() {
    return packetsWritten;
  }

  /// Returns the bytes of the packets written so far, IP headers included.
  public long bytesWritten() {
    return bytesWritten;
  }

  /// Returns the kernel's refusals by error.
  public ErrnoCounts refusals() {
    return refusals;
  }

  @Override
  public void close() {
    PolledDescriptor polled = descriptor;
    if (polled != null) {
      polled.close();
    } else if (!isClosed) {
      calls.close(fd);
    }
    isClosed = true;
  }
}
