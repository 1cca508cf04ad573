package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.CompoundWriter;

/// Which records may be compressed together (docs/adr/0007).
public enum CompressionContext {
  /// One remote host: what it sends meets no other host's bytes in one window.
  REMOTE_HOST,
  /// The whole compound (the seed paper's mode): best savings, open to compression oracles.
  DEVICE,
  /// Nothing is compressed.
  OFF;

  CompoundWriter.Grouping grouping() {
    return switch (this) {
      case REMOTE_HOST -> CompoundWriter.Grouping.REMOTE_HOST;
      case DEVICE -> CompoundWriter.Grouping.ALL;
      case OFF -> CompoundWriter.Grouping.STORED;
    };
  }

  /// The value that a configuration file calls so: `remote-host`, `device`, `off`.
  public static CompressionContext of(String word) {
    return switch (word) {
      case "remote-host" -> REMOTE_HOST;
      case "device" -> DEVICE;
      case "off", "false" -> OFF; // YAML 1.1 reads a bare off as a truth value
      default ->
          throw new IllegalArgumentException(
              "context must be one of remote-host, device, off, got '" + word + "'");
    };
  }
}
