package io.viaduct.testbed.bench;

/// Role of a peer in the table.
enum Role {
  /// The path without a tunnel, which shows the limits of the machine.
  DIRECT,
  OURS,
  /// A tunnel in common use. Ours is compared with the best of them in each row.
  PEER,
  /// An upper bound without practical use; never the best peer.
  BOUND
}
