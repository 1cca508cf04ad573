package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.compound.CompoundWriter;

/// Rule by which records may be compressed together (docs/adr/0007).
public enum CompressionContext {
  /// Records of one remote host: its bytes share no compression window with those of another host.
  REMOTE_HOST,
  /// All records of a compound (the seed paper's mode): best savings, open to compression oracles.
  DEVICE,
  /// No records.
  OFF;

  public CompoundWriter.Grouping grouping() {
    return switch (this) {
      case REMOTE_HOST -> CompoundWriter.Grouping.REMOTE_HOST;
      case DEVICE -> CompoundWriter.Grouping.ALL;
      case OFF -> CompoundWriter.Grouping.STORED;
    };
  }

  /// Returns the rule that a configuration file names: `remote-host`, `device`, `off`.
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
