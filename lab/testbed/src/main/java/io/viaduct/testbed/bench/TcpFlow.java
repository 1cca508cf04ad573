package io.viaduct.testbed.bench;

import java.io.IOException;

/// One TCP connection between device and server at the highest possible rate.
interface TcpFlow {
  String tool();

  /// Transfers bytes.
  ///
  /// @param target the server's address
  /// @param upload true from the device to the server, else in the other direction
  Transferred run(String target, boolean upload, int seconds) throws IOException;

  /// Result of a transfer.
  ///
  /// @param bytes that the receiver has read
  record Transferred(long bytes, double seconds) {
    double mbitPerSecond() {
      return bytes * 8 / seconds / 1e6;
    }

    double gbit() {
      return bytes * 8 / 1e9;
    }
  }
}
