package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathSnapshot;
import io.viaduct.cnapt.policy.PathStatus;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Shows the paths of this end of the tunnel to rules, status and metrics. Called on the data
/// path's event loop, unless documented otherwise.
interface PathsView {
  /// Returns whether the session may have several paths.
  boolean areMany();

  /// Returns the status of each path.
  List<PathStatus> status(long nowNs);

  /// Returns the paths as the rules see them.
  default List<PathSnapshot> snapshots(long nowNs) {
    return status(nowNs).stream().map(PathStatus::snapshot).toList();
  }

  /// Returns how often a path has been found alive or dead.
  int findings();

  /// Returns the status of a path, at most a second old while packets are carried; null if it does
  /// not exist. Any thread may call this.
  @Nullable PathStatus published(int id);

  /// Returns the name of a path in messages; empty if there is none with this id.
  String name(int id);

  /// Returns the names of the links that carry data; empty for an end that listens.
  default Set<String> carryingLinks() {
    return Set.of();
  }

  /// Returns the address to which datagrams go by UDP; null if none is known.
  @Nullable InetSocketAddress peer();

  /// Returns whether no path is alive.
  boolean isSearching();

  /// Returns whether nothing comes from the other end, so that new flows should go elsewhere.
  default boolean isSilent() {
    return isSearching();
  }

  /// Returns whether the SNAPT is asked whether it is there, because its control connection is
  /// lost.
  default boolean isSuspected() {
    return false;
  }

  /// Returns how often the other end has become silent while a path was alive. Any thread may call
  /// this.
  default long silences() {
    return 0;
  }

  /// Returns whether no path is alive, and one was found dead.
  boolean isDead();

  /// Returns the number of pairs of a link and an address that are no path, because the session may
  /// have no more. Any thread may call this.
  int refusedPairs();

  /// Returns the number of bursts that were dropped because no network became available in time.
  /// Any thread may call this.
  long droppedBursts();

  /// Returns the number of times that the kernel had no route to the other end. Any thread may call
  /// this.
  long refusals();

  /// Returns how often the watchdog of a listening peer has found that the probes of a path have
  /// stopped. Any thread may call this.
  long watchdogs();

  /// Returns the number of datagrams that came from a known address of the other end at another
  /// address of a listening peer than before, and were not opened. Any thread may call this.
  long misled();
}
