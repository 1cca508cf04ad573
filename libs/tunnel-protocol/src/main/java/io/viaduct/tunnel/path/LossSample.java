package io.viaduct.tunnel.path;

/// The loss of one direction of a path as it was measured last; it does not fade.
///
/// @param ratio share that was lost in about the second before, 0 to 1; jitter can make it negative
/// @param atNs time of the measurement
public record LossSample(double ratio, long atNs) {}
