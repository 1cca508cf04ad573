package io.viaduct.testbed.tap;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.testbed.libc.LibraryCall;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.NetworkInterface;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Counts the IP packets of a network device by kind, in both directions: a packet socket
/// (packet(7)) that drops the link-layer header. Has a thread of its own until it is closed.
public final class PacketTap implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int SOCK_DGRAM = 2;
  private static final short ETH_P_ALL = 0x0300; // 3 in network byte order
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int ADDRESS_BYTES = 20; // struct sockaddr_ll
  private static final int BUFFER_BYTES = 65_536;

  /// Bytes and packets of one kind.
  public record Count(long bytes, long packets) {}

  private final LongAdder[] bytes = adders();
  private final LongAdder[] packets = adders();
  private final Predicate<byte[]> filter;
  private volatile boolean open = true;

  private PacketTap(Predicate<byte[]> filter) {
    this.filter = filter;
  }

  private static LongAdder[] adders() {
    return Stream.of(PacketKind.values()).map(_ -> new LongAdder()).toArray(LongAdder[]::new);
  }

  /// Starts to count the packets of a device.
  public static PacketTap on(NetworkNamespace namespace, String device) {
    return on(namespace, device, _ -> true);
  }

  /// Starts to count those packets of a device that a filter accepts.
  public static PacketTap on(NetworkNamespace namespace, String device, Predicate<byte[]> filter) {
    var tap = new PacketTap(filter);
    int socket = namespace.call(() -> bind(NetworkInterface.getByName(device).getIndex()));
    Thread.ofPlatform().daemon().name("tap-" + device).start(() -> tap.read(socket));
    return tap;
  }

  private static int bind(int index) throws IOException {
    int socket = LibraryCall.SOCKET.check(AF_PACKET, SOCK_DGRAM, ETH_P_ALL);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
      address.set(JAVA_SHORT, 0, (short) AF_PACKET);
      address.set(JAVA_SHORT, 2, ETH_P_ALL);
      address.set(JAVA_INT, 4, index);
      LibraryCall.BIND.check(socket, address.address(), ADDRESS_BYTES);
      MemorySegment patience = arena.allocate(16, 8); // struct timeval: the thread looks at `open`
      patience.set(JAVA_INT, 0, 1);
      LibraryCall.SETSOCKOPT.call(socket, SOL_SOCKET, SO_RCVTIMEO, patience.address(), 16);
    }
    return socket;
  }

  private void read(int socket) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(BUFFER_BYTES);
      while (open) {
        int length = LibraryCall.READ.call(socket, buffer.address(), BUFFER_BYTES);
        if (length > 0) {
          byte[] packet = buffer.asSlice(0, length).toArray(JAVA_BYTE);
          if (filter.test(packet)) {
            PacketKind kind = PacketKind.of(packet);
            bytes[kind.ordinal()].add(length);
            packets[kind.ordinal()].increment();
          }
        }
      }
    } finally {
      LibraryCall.CLOSE.call(socket, 0, 0);
    }
  }

  /// Returns the count of a kind since the start.
  public Count of(PacketKind kind) {
    return new Count(bytes[kind.ordinal()].sum(), packets[kind.ordinal()].sum());
  }

  @Override
  public void close() {
    open = false;
  }
}
