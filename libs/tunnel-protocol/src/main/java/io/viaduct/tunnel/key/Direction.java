package io.viaduct.tunnel.key;

/// Direction of a key chain, seen from the device.
public enum Direction {
  UP("up"),
  DOWN("down");

  private final String label;

  Direction(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
