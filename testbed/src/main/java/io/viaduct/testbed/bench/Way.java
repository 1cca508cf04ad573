package io.viaduct.testbed.bench;

/// Where packets go.
enum Way {
  /// From the device to the far end.
  UP,
  /// From the far end to the device, which has asked for them.
  DOWN
}
