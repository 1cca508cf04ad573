package io.viaduct.testbed.sessions;

import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;

/// The UDP sockets of the devices of one generator. Only its data loop uses them.
interface DeviceLines extends AutoCloseable {
  /// Returns the sink by which a device sends to the SNAPT.
  ///
  /// @param number of the device, from 1
  DatagramSink line(int number, InetSocketAddress snapt);

  @Override
  void close();
}
