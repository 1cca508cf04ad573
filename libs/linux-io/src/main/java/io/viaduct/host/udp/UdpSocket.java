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
/// loop. No object is allocated per datagram.
public final class UdpSocket implements AutoCloseable, PolledDescriptor.Events {
  /// Longest payload of a datagram over IPv4 (65 535 less 20 and 8 bytes of headers).
  public static final int PAYLOAD_BYTES_MAX = 65_507;

  private static final Logger LOG = LoggerFactory.getLogger(UdpSocket.class);

  // The kernel merges datagrams to less than 64 KiB, so none is ever cut off.
  private static final int RECEIVE_BYTES = 65_536;

  // Work per wake-up before the loop continues with other work.
  private static final int RECEIVES_PER_WAKE_UP = 64;
  private static final int BYTES_PER_WAKE_UP = 1 << 20;

  /// Longest datagram that may be posted, in bytes.
  public static final int POSTED_BYTES_MAX = PostedDatagrams.BYTES_MAX;

  private final SystemCalls calls = new SystemCalls();
  private final ErrnoCounts refusals = new ErrnoCounts();
  private final MessageHeader sending = new MessageHeader();
  private final MessageHeader receiving = new MessageHeader();
  private final ArrivalClock arrivals = new ArrivalClock(InstantSource.system(), System::nanoTime);
  private final MemorySegment sender =
      Arena.ofAuto().allocate(PeerAddresses.IN6_LENGTH, Long.BYTES);
  // Wraps memory that the collector frees, because a reader may close this socket while it handles
  // a datagram.
  private final ByteBuf received =
      Unpooled.wrappedBuffer(Arena.ofAuto().allocate(RECEIVE_BYTES, Long.BYTES).asByteBuffer());
  private final int fd;
  private final InetSocketAddress address;
  private final PeerAddresses peers;
  private final boolean namesArrivals;
  private final DatagramReader reader;
  private @Nullable PolledDescriptor descriptor;
  private @Nullable PostedDatagrams posted;
  private boolean hasOffload = true;
  private boolean isBlocked;
  // Written by the loop, read by any thread. A reader may see an older value, but on 64 bits never
  // a torn one.
  private long datagramsReceived;
  private long bytesReceived;
  private long receives;
  private long datagramsSent;
  private long bytesSent;
  private long sends;
  private long blocks;
  private long truncations;

  /// @param namesArrivals whether the kernel adds the local address to each receive
  UdpSocket(
      int fd,
      InetSocketAddress address,
      PeerAddresses peers,
      boolean namesArrivals,
      DatagramReader reader) {
    this.fd = fd;
    this.address = address;
    this.peers = peers;
    this.namesArrivals = namesArrivals;
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
    int share = BYTES_PER_WAKE_UP;
    while (batches < RECEIVES_PER_WAKE_UP && share > 0 && polled.isReading()) {
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
      share -= bytes;
      if (receiving.isTruncated()) {
        truncations++;
        continue;
      }
      reader.burst(arrivals.waitedNs(receiving.stampNs()));
      deliver(bytes, receiving.segmentSize(bytes), peer());
    }
    if (batches > 0) {
      reader.batchEnd();
    }
  }

  private InetSocketAddress peer() {
    return namesArrivals ? receiving.peer(peers, sender) : peers.decode(sender);
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

  /// Sends a burst of datagrams of one size, which the kernel cuts; the last one may be shorter.
  /// The buffer stays the caller's and may be used again at once. Its reader index moves over the
  /// bytes sent.
  ///
  /// @param burst direct
  /// @param segmentSize bytes of each datagram but the last
  /// @throws IllegalArgumentException for an IPv6 peer of an IPv4 socket, or an invalid size
  public SendResult send(ByteBuf burst, int segmentSize, InetSocketAddress to) {
    if (segmentSize < 1 || segmentSize > PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a datagram must have 1 to %d bytes, got %d".formatted(PAYLOAD_BYTES_MAX, segmentSize));
    }
    long peer = peers.at(to);
    int atOnce = Math.min(Sockets.UDP_MAX_SEGMENTS, PAYLOAD_BYTES_MAX / segmentSize) * segmentSize;
    boolean isCut = hasOffload;
    while (burst.isReadable()) {
      int bytes = Math.min(burst.readableBytes(), isCut ? atOnce : segmentSize);
      int sent = sendOnce(peer, burst.memoryAddress() + burst.readerIndex(), bytes, segmentSize);
      if (sent >= 0) {
        burst.skipBytes(bytes);
        sends++;
        datagramsSent += (bytes + segmentSize - 1) / segmentSize;
        bytesSent += bytes;
      } else if (bytes > segmentSize && refusesToCut(sent)) {
        isCut = false;
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

  /// Copies a small datagram, which leaves with the next [#flush]. So datagrams to many peers need
  /// one system call. Not to be called while the socket is not writable.
  ///
  /// @param datagram at most [#POSTED_BYTES_MAX] bytes; it stays the caller's
  /// @return true if there is no room for another one before [#flush]
  public boolean post(ByteBuf datagram, InetSocketAddress to) {
    PostedDatagrams waiting = posted;
    if (waiting == null) {
      waiting = new PostedDatagrams(peers.length());
      posted = waiting;
    }
    if (waiting.isFull() || datagram.readableBytes() > POSTED_BYTES_MAX) {
      throw new IllegalStateException(
          "%d datagrams wait, at most %d may; the next has %d bytes, at most %d may be posted"
              .formatted(
                  waiting.left(),
                  PostedDatagrams.COUNT_MAX,
                  datagram.readableBytes(),
                  POSTED_BYTES_MAX));
    }
    waiting.add(peers, peers.at(to), datagram);
    return waiting.isFull();
  }

  /// Sends the posted datagrams. If the kernel's buffer is full, the rest waits for the next call
  /// and the socket is not writable.
  ///
  /// @return the number of datagrams that the kernel has refused; they are lost
  public int flush() {
    PostedDatagrams waiting = posted;
    int refused = 0;
    while (waiting != null && waiting.left() > 0) {
      int sent = isOpen() ? calls.sendmmsg(fd, waiting.address(), waiting.left()) : closed();
      if (sent > 0) {
        sends++;
        datagramsSent += sent;
        bytesSent += waiting.remove(sent);
      } else if (Errno.isAgain(sent)) {
        block();
        return refused;
      } else if (Errno.of(sent) != Errno.EINTR) {
        refusals.count(sent);
        long unused = waiting.remove(1);
        refused++;
      }
    }
    return refused;
  }

  /// Returns the number of posted datagrams that have not left.
  public int posted() {
    return posted == null ? 0 : posted.left();
  }

  /// Sends a burst as [#send] does, but cuts a datagram that is longer than its interface allows
  /// into IP fragments. It is for datagrams that were sealed for another path and cannot be made
  /// shorter.
  public SendResult sendFragmented(ByteBuf burst, int segmentSize, InetSocketAddress to) {
    boolean ipv6 = peers.length() == PeerAddresses.IN6_LENGTH;
    boolean hadOffload = hasOffload;
    hasOffload = false; // the kernel cuts bursts only into datagrams that need no fragments
    SocketOptions.discoverMtu(calls, fd, ipv6, Sockets.PMTU_DISCOVER_DONT);
    try {
      return send(burst, segmentSize, to);
    } finally {
      SocketOptions.discoverMtu(calls, fd, ipv6, Sockets.PMTU_DISCOVER_PROBE);
      hasOffload = hadOffload;
    }
  }

  private int sendOnce(long peer, long from, int bytes, int segmentSize) {
    if (bytes > segmentSize) {
      sending.burst(peers, peer, from, bytes, segmentSize);
    } else {
      sending.datagram(peers, peer, from, bytes);
    }
    return isOpen() ? calls.sendmsg(fd, sending.address(), 0) : closed();
  }

  private boolean isOpen() {
    PolledDescriptor polled = descriptor;
    return polled != null && polled.isOpen();
  }

  private static int closed() {
    return Errno.EBADF.result();
  }

  // EIO: the interface cannot compute checksums, or IPsec is in use; this will not change soon.
  // EINVAL, EMSGSIZE: a segment is longer than the interface's MTU. The datagrams are then sent one
  // by one, because the last one may fit.
  private boolean refusesToCut(int result) {
    Errno errno = Errno.of(result);
    if (errno == Errno.EIO || errno == Errno.EOPNOTSUPP) {
      LOG.warn(
          "{}: no UDP segmentation offload here ({}), datagrams go one by one from now on",
          address,
          Errno.text(result));
      hasOffload = false;
      return true;
    }
    return errno == Errno.EINVAL || errno == Errno.EMSGSIZE;
  }

  private void block() {
    blocks++;
    if (!isBlocked && descriptor != null) {
      isBlocked = true;
      descriptor.writing(true);
    }
  }

  @Override
  public void writable() {
    if (descriptor != null) {
      descriptor.writing(false);
    }
    isBlocked = false;
    reader.writable();
  }

  /// Returns false after a [SendResult#WOULD_BLOCK] until the kernel's buffer has room again.
  public boolean isWritable() {
    return !isBlocked;
  }

  /// Stops receiving. Datagrams then wait in the kernel's buffer, which drops datagrams when it is
  /// full.
  public void pauseReading() {
    if (descriptor != null) {
      descriptor.reading(false);
    }
  }

  /// Continues after [#pauseReading].
  public void resumeReading() {
    if (descriptor != null) {
      descriptor.reading(true);
    }
  }

  /// Returns the local address.
  public InetSocketAddress address() {
    return address;
  }

  /// Returns true while the kernel cuts bursts into datagrams.
  public boolean hasSegmentationOffload() {
    return hasOffload;
  }

  /// Returns the number of datagrams received so far; each merged datagram counts.
  public long datagramsReceived() {
    return datagramsReceived;
  }

  /// Returns the payload bytes received so far.
  public long bytesReceived() {
    return bytesReceived;
  }

  /// Returns the number of successful receive calls. Compared with the datagrams it shows how well
  /// GRO merges.
  public long receives() {
    return receives;
  }

  /// Returns the number of datagrams sent so far; each datagram of a burst counts.
  public long datagramsSent() {
    return datagramsSent;
  }

  /// Returns the payload bytes sent so far.
  public long bytesSent() {
    return bytesSent;
  }

  /// Returns the number of successful send calls. Compared with the datagrams it shows how full
  /// bursts are.
  public long sends() {
    return sends;
  }

  /// Returns how often a send had to wait because the kernel's buffer was full.
  public long blocks() {
    return blocks;
  }

  /// Returns the number of receives dropped because they were longer than a datagram may be. Always
  /// 0 so far.
  public long truncations() {
    return truncations;
  }

  /// Returns the kernel's refusals to send or receive, by error.
  public ErrnoCounts refusals() {
    return refusals;
  }

  /// Stops and closes the socket. From outside the loop it waits until that is done.
  @Override
  public void close() {
    PolledDescriptor polled = descriptor;
    if (polled != null) {
      polled.close();
    }
  }
}
