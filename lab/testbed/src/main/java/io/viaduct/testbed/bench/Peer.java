package io.viaduct.testbed.bench;

import java.io.IOException;
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

  /// Stops all that [#start] has started.
  @Override
  void close();
}
