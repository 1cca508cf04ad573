package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// One way from the device to the far end: ours, another's tunnel, or none.
interface Peer extends AutoCloseable {
  String name();

  Role role();

  /// Version and settings that a reader of the numbers must know; one line.
  String note();

  /// Starts both ends.
  ///
  /// @throws IllegalStateException when it cannot be started, with the reason
  void start() throws IOException;

  /// The far end's address as the device must use it so that packets take this way.
  String target();

  /// Stops the end on the device.
  void stopNear();

  /// Starts the end on the device, and returns without waiting for packets to pass.
  void startNear() throws IOException;

  /// Ids of its processes on the device; none for plain routing.
  List<Long> nearProcesses();

  /// Ids of its processes at the far end.
  List<Long> farProcesses();

  /// What the packet path of both ends has allocated since they were started; empty for ends that
  /// do not tell.
  default Optional<Allocated> allocated() throws IOException {
    return Optional.empty();
  }

  /// Bytes of the heap that a collector takes back.
  record Allocated(long near, long far) {
    Allocated since(Allocated earlier) {
      return new Allocated(near - earlier.near, far - earlier.far);
    }
  }

  /// Stops what [#start] has started.
  @Override
  void close();
}
