package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Connections;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// One path from the device to the far end: our tunnel, another tunnel, or none.
interface Peer extends AutoCloseable {
  String name();

  Role role();

  /// Returns one line with the version and settings that a reader of the results must know.
  String note();

  /// Starts both ends.
  ///
  /// @throws IllegalStateException when an end cannot be started, with the reason
  void start() throws IOException;

  /// Returns the far end's address that leads the device's packets through this peer.
  String target();

  /// Stops the end on the device.
  void stopNear();

  /// Starts the end on the device, and returns without waiting for packets to pass.
  void startNear() throws IOException;

  /// Returns the ids of the peer's processes on the device; none for plain routing.
  List<Long> nearProcesses();

  /// Returns the ids of the peer's processes at the far end.
  List<Long> farProcesses();

  /// Returns the bytes that the packet paths of both ends have allocated since their start; empty
  /// for ends without this counter.
  default Optional<Allocated> allocated() throws IOException {
    return Optional.empty();
  }

  /// Allocated bytes of the garbage-collected heap.
  record Allocated(long near, long far) {
    Allocated since(Allocated earlier) {
      return new Allocated(near - earlier.near, far - earlier.far);
    }
  }

  /// Opens both ends of a stream through this peer.
  ///
  /// @param port at the far end
  default StreamEnds open(BenchNetwork network, int port) {
    var to = new InetSocketAddress(target(), port);
    StreamEnd far = network.far().call(() -> UdpEnd.far(to));
    return new StreamEnds(network.device().call(() -> UdpEnd.near(to)), far);
  }

  /// Both ends of a stream.
  record StreamEnds(StreamEnd near, StreamEnd far) {}

  /// Returns true if one connection can use several links at a time.
  default boolean canBond() {
    return false;
  }

  /// Lets the connections that are opened from now on use both links at a time, or stops that. Our
  /// tunnel decides by itself.
  default void bond(boolean isWanted) {}

  /// Returns the means by which an application opens connections through this peer.
  default Connections connections() {
    return Connections.TCP;
  }

  /// Returns true if exactly these links carry data or could do so at once, as far as the peer can
  /// tell.
  ///
  /// @param links network devices in alphabetical order
  default boolean isReadyBy(List<String> links) throws IOException {
    return true;
  }

  /// Moves from link A to link B by the peer's own means, while both work. A tunnel that knows no
  /// links follows the route.
  default void leaveLinkA(BenchNetwork network) throws IOException {
    network.preferLinkB(true);
  }

  /// Takes [#leaveLinkA] back.
  default void returnToLinkA(BenchNetwork network) throws IOException {
    network.preferLinkB(false);
  }

  /// Is called right after a link came up for the next repetition.
  ///
  /// @param link its name, such as `A`
  default void onLinkUp(BenchNetwork network, String link) {}

  /// Is called right after the device's address on link A has changed.
  default void onNewAddress(String former, String now) {}

  /// Stops all that [#start] has started.
  @Override
  void close();
}
