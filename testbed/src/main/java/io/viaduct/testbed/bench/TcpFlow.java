package io.viaduct.testbed.bench;

import java.io.IOException;

/// One TCP connection between device and server, as fast as it goes.
interface TcpFlow {
  String tool();

  /// @param target the server's address
  /// @param upload from the device to the server, else the reverse
  Transferred run(String target, boolean upload, int seconds) throws IOException;

  /// @param bytes that the receiving end has read
  record Transferred(long bytes, double seconds) {
    double mbitPerSecond() {
      return bytes * 8 / seconds / 1e6;
    }

    double gbit() {
      return bytes * 8 / 1e9;
    }
  }
}
