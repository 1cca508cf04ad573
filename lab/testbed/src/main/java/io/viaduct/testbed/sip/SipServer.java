package io.viaduct.testbed.sip;

import java.io.IOException;
import java.util.List;

/// A registrar and proxy under load. It serves UDP on an address of its own.
interface SipServer extends AutoCloseable {
  String name();

  /// Returns the port of its UDP socket on [Sipp#SERVER].
  int port();

  /// Starts the server afresh, and returns when it serves.
  void start() throws Exception;

  /// Returns the processes whose time and memory count.
  List<Long> processes() throws IOException;

  /// Stops the server.
  @Override
  void close();
}
