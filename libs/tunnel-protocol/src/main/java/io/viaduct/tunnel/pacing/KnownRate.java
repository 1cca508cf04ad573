package io.viaduct.tunnel.pacing;

/// The rate of a path as one session has found it, for another session by the same access link.
///
/// @param limit rate of pacing in bytes of outer IP packets per second, infinite without a limit
/// @param capacity what the path carries, likewise, above 0
public record KnownRate(double limit, double capacity) {}
