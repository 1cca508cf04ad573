package io.viaduct.testbed.weather;

/// Direction of a link.
public enum Direction {
  /// From the device to the network.
  UP,
  /// From the network to the device.
  DOWN
}
