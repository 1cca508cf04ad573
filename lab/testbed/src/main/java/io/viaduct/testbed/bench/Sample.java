package io.viaduct.testbed.bench;

/// One value of one peer in one round.
///
/// @param row id of the [Row]
record Sample(String peer, int round, String row, double value) {}
