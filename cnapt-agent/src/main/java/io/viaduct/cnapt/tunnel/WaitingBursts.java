package io.viaduct.cnapt.tunnel;

import java.util.List;

/// The bursts that wait for the sockets of the device's paths, those of lost links included, and
/// the counts of refused and dropped ones over all sockets. Owner: the data path's event loop.
final class WaitingBursts {
  private final List<DevicePath> present;
  private final SealedLeftovers leftovers = new SealedLeftovers();
  private long refusalsBefore; // of sockets that were closed
  private long droppedBefore;

  /// @param present the paths with an open socket; the owner changes it
  WaitingBursts(List<DevicePath> present) {
    this.present = present;
  }

  /// Takes the burst that waits for a path which is left or whose link is lost.
  void left(DevicePath path) {
    leftovers.add(path.sink);
  }

  /// Takes the counts of a path whose socket is no longer used, and what waits for it.
  void closing(DevicePath path) {
    refusalsBefore += path.sink.refusals();
    droppedBefore += path.sink.droppedBursts();
    left(path);
  }

  /// Sends the bursts that waited for their link. Those of lost links leave by a path that works.
  void send(long nowNs) {
    for (int i = 0; !leftovers.isEmpty() && i < present.size(); i++) {
      if (present.get(i).isAlive()) {
        leftovers.sendBy(present.get(i).sink, nowNs);
      }
    }
    for (int i = 0; i < present.size(); i++) {
      present.get(i).sink.sendWaiting(nowNs);
    }
  }

  /// Drops the bursts that wait, because the carrier has changed.
  void giveUp() {
    leftovers.giveUp();
    present.forEach(each -> each.sink.giveUp());
  }

  /// Releases the bursts that wait, because the session has ended.
  void end() {
    leftovers.giveUp();
    present.forEach(each -> each.sink.release());
  }

  /// Drops the bursts of lost links, because all sockets are closed.
  void close() {
    leftovers.giveUp();
  }

  /// Returns whether the kernel has no route by any path.
  boolean isRefused() {
    for (int i = 0; i < present.size(); i++) { // called after each drain: no stream
      if (!present.get(i).sink.isRefused()) {
        return false;
      }
    }
    return !present.isEmpty();
  }

  /// Returns the number of times that the kernel had no route to the SNAPT.
  long refusals() {
    return refusalsBefore + present.stream().mapToLong(each -> each.sink.refusals()).sum();
  }

  /// Returns the number of bursts that were dropped because no network became available.
  long dropped() {
    return droppedBefore
        + leftovers.dropped()
        + present.stream().mapToLong(each -> each.sink.droppedBursts()).sum();
  }
}
