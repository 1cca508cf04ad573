package io.viaduct.testbed.chaos;

import io.viaduct.testbed.topology.Topology;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.LongSupplier;

/// One flow of an account with its far end, and the bounds of its charge.
///
/// @param remote `address:port` of the far end, as a charge names it
/// @param ipBytes of each packet, with its headers
/// @param packetsPerSecond in each direction
record CountedLoad(
    String remote, CountedFlow flow, CountedEcho echo, int ipBytes, int packetsPerSecond) {
  private static final int HEADERS = 28; // IPv4 and UDP
  private static final int PORT = 5004;

  /// Bounds of what may be charged, in inner bytes.
  ///
  /// @param least bytes that have arrived at both applications
  /// @param most bytes that both applications have sent
  record Bounds(long least, long most) {}

  /// Starts both ends.
  static CountedLoad start(
      Topology network,
      String address,
      int payloadBytes,
      int packetsPerSecond,
      LongSupplier nanoTime) {
    var far = new InetSocketAddress(address, PORT);
    var echo = new CountedEcho(far, CountedLoad::isSnapt);
    var flow = new CountedFlow(far, payloadBytes, packetsPerSecond, nanoTime);
    var unusedEcho =
        network.server.start(
            "echo",
            () -> {
              echo.serve();
              return true;
            });
    var unusedFlow =
        network.device.start(
            "flow",
            () -> {
              flow.run();
              return true;
            });
    return new CountedLoad(
        address + ":" + PORT, flow, echo, payloadBytes + HEADERS, packetsPerSecond);
  }

  /// Returns true for the addresses of SNAPTs and of their pools: a SNAPT masquerades, or its pool
  /// is routed. All other packets have come from a gateway, past the tunnel.
  private static boolean isSnapt(InetAddress source) {
    String text = source.getHostAddress();
    return text.equals(Topology.SNAPT_1)
        || text.equals(Topology.SNAPT_2)
        || text.startsWith("10.201.")
        || text.startsWith("10.202.");
  }

  /// Returns the bounds of the charge so far.
  Bounds bounds() {
    long least = echo.received() + flow.heard();
    long most = flow.sent() - echo.beside() + echo.returned();
    return new Bounds(least * ipBytes, most * ipBytes);
  }

  /// Returns the bytes of both directions in a time.
  long bytesIn(long milliseconds) {
    return 2L * ipBytes * packetsPerSecond * milliseconds / 1000;
  }
}
