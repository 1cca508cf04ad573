package io.viaduct.testbed.traffic;

/// Direction of packets.
public enum Way {
  /// From the device to the far end.
  UP,
  /// From the far end to the device, which has requested them.
  DOWN
}
