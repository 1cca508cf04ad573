package io.viaduct.testbed.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/// The far end of a [CountedFlow]: returns each packet to its sender, and counts those that came
/// through the tunnel.
final class CountedEcho {
  /// Offset of the byte that tells the device which way its packet has come.
  static final int WAY = 8;

  static final byte THROUGH_TUNNEL = 1;
  private static final byte BESIDE = 0;
  private static final int BUFFER_BYTES = 2048;

  private final InetSocketAddress address;
  private final Predicate<InetAddress> isTunnel;
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong returned = new AtomicLong();
  private final AtomicLong beside = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();

  /// @param isTunnel tells if packets from this source have come through a SNAPT
  CountedEcho(InetSocketAddress address, Predicate<InetAddress> isTunnel) {
    this.address = address;
    this.isTunnel = isTunnel;
  }

  /// Serves until the process ends. The thread must be in the server's namespace.
  void serve() throws IOException {
    try (var channel = DatagramChannel.open()) {
      channel.bind(address);
      var packet = ByteBuffer.allocate(BUFFER_BYTES);
      var numbers = new BitSet();
      while (true) {
        var from = (InetSocketAddress) channel.receive(packet.clear());
        boolean isThrough = isTunnel.test(from.getAddress());
        int number = Math.toIntExact(packet.flip().getLong(0));
        if (isThrough) {
          (numbers.get(number) ? repeated : received).incrementAndGet();
          numbers.set(number);
        } else {
          beside.incrementAndGet();
        }
        packet.put(WAY, isThrough ? THROUGH_TUNNEL : BESIDE);
        // Counted before it is sent: a charge must never be ahead of the count.
        if (isThrough) {
          returned.incrementAndGet();
        }
        channel.send(packet, from);
      }
    }
  }

  /// Returns the packets that came through the tunnel, each once.
  long received() {
    return received.get();
  }

  /// Returns the packets that went back to a SNAPT.
  long returned() {
    return returned.get();
  }

  /// Returns the packets that came past the tunnel, while no agent ran.
  long beside() {
    return beside.get();
  }

  /// Returns the packets that came through the tunnel a second time.
  long repeated() {
    return repeated.get();
  }
}
