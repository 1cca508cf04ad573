package io.viaduct.bridge.directory;

import java.util.List;

/// A SNAPT as devices are told it: where they reach it, and what its owner asks.
///
/// @param controlPort TLS over TCP
/// @param dataPort UDP
/// @param region location; may be empty
/// @param surcharges micro-denarii per gigabyte of inner bytes, by class; empty if nothing is asked
public record Relay(
    String id, String host, int controlPort, int dataPort, String region, List<Long> surcharges) {
  /// Copies the amounts.
  public Relay {
    surcharges = List.copyOf(surcharges);
  }
}
