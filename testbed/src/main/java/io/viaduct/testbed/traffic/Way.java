package io.viaduct.testbed.traffic;

/// Where packets go.
public enum Way {
  /// From the device to the far end.
  UP,
  /// From the far end to the device, which has asked for them.
  DOWN
}
