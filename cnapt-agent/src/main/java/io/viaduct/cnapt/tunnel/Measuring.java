package io.viaduct.cnapt.tunnel;

import java.time.Duration;

/// The regular probes of an end that measures for both: a peer that dials.
///
/// @param probe time between two probes of a path
/// @param silence time without an answer after which traffic leaves the path
public record Measuring(Duration probe, Duration silence) {}
