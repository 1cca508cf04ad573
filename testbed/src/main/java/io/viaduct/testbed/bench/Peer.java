package io.viaduct.testbed.bench;

import java.util.List;

/// One way from the device to the server: ours, another's tunnel, or none. A peer is one class.
interface Peer extends AutoCloseable {
  String name();

  /// Starts it and returns when packets pass.
  void start() throws Exception;

  /// The server's address as the device must use it so that packets take this way.
  String target();

  /// Ids of its processes on the device; none for plain routing.
  List<Long> clientProcesses();

  /// Ids of its processes at the far end.
  List<Long> serverProcesses();

  /// Stops what [#start] has started.
  @Override
  void close();
}
