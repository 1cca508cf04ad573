package io.viaduct.host.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.ErrnoCounts;
import io.viaduct.host.linux.PolledDescriptor;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One UDP socket on one event loop. Everything but [#close] and the counters is called on that
/// loop; nothing here makes an object per datagram.
public final class UdpSocket implements AutoCloseable, PolledDescriptor.Events {
  /// Longest payload of a datagram over IPv4 (65 535 less 20 and 8 bytes of headers).
  public static final int PAYLOAD_BYTES_MAX = 65_507;

  private static final Logger LOG = LoggerFactory.getLogger(UdpSocket.class);

  // What the kernel merges stays below 64 KiB, so nothing is ever cut off.
  private static final int RECEIVE_BYTES = 65_536;

  // Merged receives per wake-up before the loop turns to its other work: a mebibyte.
  private static final int RECEIVES_PER_WAKE_UP = 16;

  private final SystemCalls calls = new SystemCalls();
  private final ErrnoCounts refusals = new ErrnoCounts();
  private final MessageHeader sending = new MessageHeader();
  private final MessageHeader receiving = new MessageHeader();
  private final ArrivalClock arrivals = new ArrivalClock(InstantSource.system(), System::nanoTime);
  private final MemorySegment sender =
      Arena.ofAuto().allocate(PeerAddresses.IN6_LENGTH, Long.BYTES);
  // Wrapped memory of the collector's: a reader may close this socket from within a datagram.
  private final ByteBuf received =
      Unpooled.wrappedBuffer(Arena.ofAuto().allocate(RECEIVE_BYTES, Long.BYTES).asByteBuffer());
  private final int fd;
  private final InetSocketAddress address;
  private final PeerAddresses peers;
  private final DatagramReader reader;
  private @Nullable PolledDescriptor descriptor;
  private boolean offload = true;
  private boolean blocked;
  // Written by the loop, read by anybody: a reader may lag, never see a torn value on 64 bits.
  private long datagramsReceived;
  private long bytesReceived;
  private long receives;
  private long datagramsSent;
  private long bytesSent;
  private long sends;
  private long truncations;

  UdpSocket(int fd, InetSocketAddress address, PeerAddresses peers, DatagramReader reader) {
    this.fd = fd;
    this.address = address;
    this.peers = peers;
    this.reader = reader;
  }

  void start(IoEventLoop loop) {
    PolledDescriptor polled = new PolledDescriptor(loop, fd, this);
    descriptor = polled;
    loop.execute(() -> polled.reading(true));
  }

  @Override
  public void readable() {
    PolledDescriptor polled = descriptor;
    if (polled == null) {
      return;
    }
    int batches = 0;
    while (batches < RECEIVES_PER_WAKE_UP && polled.isReading()) {
      receiving.receive(sender, received.memoryAddress(), RECEIVE_BYTES);
      int bytes =
          batches == 0
              ? calls.recvmsg(fd, receiving.address(), 0)
              : calls.recvmsgMore(fd, receiving.address(), 0);
      if (bytes < 0) {
        if (!Errno.isAgain(bytes)) {
          refusals.count(bytes);
        }
        break;
      }
      batches++;
      receives++;
      if (receiving.truncated()) {
        truncations++;
        continue;
      }
      reader.burst(arrivals.waitedNs(receiving.stampNs()));
      deliver(bytes, receiving.segmentSize(bytes), peers.decode(sender));
    }
    if (batches > 0) {
      reader.batchEnd();
    }
  }

  private void deliver(int bytes, int segmentSize, InetSocketAddress from) {
    int start = 0;
    do {
      int end = Math.min(start + segmentSize, bytes);
      received.setIndex(start, end);
      datagramsReceived++;
      bytesReceived += end - start;
      reader.datagram(received, from);
      start = end;
    } while (start < bytes);
  }

  /// Sends a burst of datagrams of one size (the last may be shorter), cut by the kernel. The
  /// buffer stays the caller's and may be used again at once; its reader index moves over what was
  /// sent.
  ///
  /// @param burst direct
  /// @param segmentSize bytes of each datagram but the last
  /// @throws IllegalArgumentException for an IPv6 peer of an IPv4 socket, or a size that is no size
  public SendResult send(ByteBuf burst, int segmentSize, InetSocketAddress to) {
    if (segmentSize < 1 || segmentSize > PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a datagram must have 1 to %d bytes, got %d".formatted(PAYLOAD_BYTES_MAX, segmentSize));
    }
    long peer = peers.encode(to);
    int atOnce = Math.min(Sockets.UDP_MAX_SEGMENTS, PAYLOAD_BYTES_MAX / segmentSize) * segmentSize;
    boolean cut = offload;
    while (burst.isReadable()) {
      int bytes = Math.min(burst.readableBytes(), cut ? atOnce : segmentSize);
      int sent = sendOnce(peer, burst.memoryAddress() + burst.readerIndex(), bytes, segmentSize);
      if (sent >= 0) {
        burst.skipBytes(bytes);
        sends++;
        datagramsSent += (bytes + segmentSize - 1) / segmentSize;
        bytesSent += bytes;
      } else if (bytes > segmentSize && refusesToCut(sent)) {
        cut = false;
      } else if (Errno.isAgain(sent)) {
        block();
        return SendResult.WOULD_BLOCK;
      } else if (Errno.of(sent) != Errno.EINTR) {
        refusals.count(sent);
        return Errno.of(sent) == Errno.EMSGSIZE ? SendResult.TOO_LONG : SendResult.REFUSED;
      }
    }
    return SendResult.SENT;
  }

  private int sendOnce(long peer, long from, int bytes, int segmentSize) {
    if (bytes > segmentSize) {
      sending.burst(peer, peers.length(), from, bytes, segmentSize);
    } else {
      sending.datagram(peer, peers.length(), from, bytes);
    }
    PolledDescriptor polled = descriptor;
    return polled != null && polled.isOpen()
        ? calls.sendmsg(fd, sending.address(), 0)
        : Errno.EBADF.result();
  }

  // EIO: the interface cannot do checksums, or IPsec is in the way; that will not change soon.
  // EINVAL, EMSGSIZE: a segment is longer than the interface's MTU; one by one, the last may not
  // be.
  private boolean refusesToCut(int result) {
    Errno errno = Errno.of(result);
    if (errno == Errno.EIO || errno == Errno.EOPNOTSUPP) {
      LOG.warn(
          "{}: no UDP segmentation offload here ({}), datagrams go one by one from now on",
          address,
          Errno.text(result));
      offload = false;
      return true;
    }
    return errno == Errno.EINVAL || errno == Errno.EMSGSIZE;
  }

  private void block() {
    if (!blocked && descriptor != null) {
      blocked = true;
      descriptor.writing(true);
    }
  }

  @Override
  public void writable() {
    if (descriptor != null) {
      descriptor.writing(false);
    }
    blocked = false;
    reader.writable();
  }

  /// Whether the kernel's buffer had room when last asked.
  public boolean isWritable() {
    return !blocked;
  }

  /// Stops receiving: datagrams then wait in the kernel's buffer and are dropped there when it is
  /// full.
  public void pauseReading() {
    if (descriptor != null) {
      descriptor.reading(false);
    }
  }

  /// Goes on after [#pauseReading].
  public void resumeReading() {
    if (descriptor != null) {
      descriptor.reading(true);
    }
  }

  /// Where it listens.
  public InetSocketAddress address() {
    return address;
  }

  /// Whether the kernel still cuts bursts.
  public boolean segmentationOffload() {
    return offload;
  }

  /// Datagrams received so far, merged ones counted singly.
  public long datagramsReceived() {
    return datagramsReceived;
  }

  /// Their payload bytes.
  public long bytesReceived() {
    return bytesReceived;
  }

  /// Receive calls that brought something: how well GRO merges.
  public long receives() {
    return receives;
  }

  /// Datagrams sent so far, those of a burst counted singly.
  public long datagramsSent() {
    return datagramsSent;
  }

  /// Their payload bytes.
  public long bytesSent() {
    return bytesSent;
  }

  /// Send calls that succeeded: how well bursts fill.
  public long sends() {
    return sends;
  }

  /// Receives thrown away because they were longer than any datagram may be: always 0 so far.
  public long truncations() {
    return truncations;
  }

  /// What the kernel refused to send or receive, by reason.
  public ErrnoCounts refusals() {
    return refusals;
  }

  /// Stops and closes; from outside the loop, waits until that is done.
  @Override
  public void close() {
    PolledDescriptor polled = descriptor;
    if (polled != null) {
      polled.close();
    }
  }
}
