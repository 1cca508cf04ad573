package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The links and the running peer of a repetition, and the waits that events share.
record MovingRig(MovingLinks links, Peer peer, LongSupplier nanoTime) {
  private static final long STEP_NS = 10_000_000;
  private static final long PATIENCE_NS = 60_000_000_000L; // a lost link is probed rarely
  private static final List<String> LINKS = List.of("A", "B", "C");

  BenchNetwork network() {
    return links.network();
  }

  long nowNs() {
    return nanoTime.getAsLong();
  }

  /// Leaves one link only, and waits until the peer carries packets by it.
  void onlyBy(String link) throws Exception {
    restore(link);
    for (String other : LINKS) {
      if (!other.equals(link)) {
        links.lose(other);
      }
    }
    if (FirstPacket.awaitNs(network(), peer.target(), PATIENCE_NS, nanoTime) < 0) {
      throw new IllegalStateException("no packet passes by link %s alone".formatted(link));
    }
    awaitReadyBy(List.of("link" + link));
  }

  /// Brings a second link up, and waits until the peer could use it at once.
  void addLink(String first, String second) throws Exception {
    restore(second);
    awaitReadyBy(List.of("link" + first, "link" + second).stream().sorted().toList());
  }

  private void restore(String link) {
    links.restore(link);
    peer.onLinkUp(network(), link);
  }

  private void awaitReadyBy(List<String> devices) throws Exception {
    await(() -> isReadyBy(devices), PATIENCE_NS, "does not use " + String.join(" and ", devices));
  }

  private boolean isReadyBy(List<String> devices) {
    try {
      return peer.isReadyBy(devices);
    } catch (IOException e) {
      return false; // the agent answers a moment later
    }
  }

  /// Waits for a condition.
  ///
  /// @param otherwise said of the peer when it does not become true
  void await(Callable<Boolean> condition, long patienceNs, String otherwise) throws Exception {
    if (!becomes(condition, patienceNs)) {
      throw new IllegalStateException(
          "%s %s after %d s".formatted(peer.name(), otherwise, patienceNs / 1_000_000_000));
    }
  }

  /// Waits for a condition.
  ///
  /// @return false if it does not become true
  boolean becomes(Callable<Boolean> condition, long patienceNs) throws Exception {
    long endNs = nowNs() + patienceNs;
    while (!condition.call()) {
      if (nowNs() - endNs > 0) {
        return false;
      }
      LockSupport.parkNanos(STEP_NS);
    }
    return true;
  }

  void pause(long ns) {
    until(nowNs() + ns);
  }

  void until(long momentNs) {
    for (long leftNs = momentNs - nowNs(); leftNs > 0; leftNs = momentNs - nowNs()) {
      LockSupport.parkNanos(leftNs);
    }
  }
}
