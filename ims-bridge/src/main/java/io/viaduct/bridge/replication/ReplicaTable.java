package io.viaduct.bridge.replication;

import io.viaduct.usage.v1.ReplicaEntry;

/// A table whose entries the bridges share.
@FunctionalInterface
public interface ReplicaTable {
  /// Takes a change of another bridge, under the lock of the table, if it is
  /// [current][Replicas#isCurrent] then. Must not block.
  void take(ReplicaEntry entry);
}
