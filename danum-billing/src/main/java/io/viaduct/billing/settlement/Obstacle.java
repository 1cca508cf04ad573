package io.viaduct.billing.settlement;

/// The reason why a report is held.
///
/// @param detail value and rule in words
record Obstacle(HoldReason why, String detail) {}
