package io.viaduct.testbed.bench;

/// What a peer stands for in the table.
enum Role {
  /// The path without a tunnel: what the machine could do.
  DIRECT,
  OURS,
  /// A tunnel that people use: the best of them in a row is what ours is held against.
  PEER,
  /// No tunnel of use, but a bound of what one can reach; never the best peer.
  BOUND
}
