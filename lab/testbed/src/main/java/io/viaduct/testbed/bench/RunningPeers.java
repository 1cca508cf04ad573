package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The peers of a benchmark, which run side by side until its end. A tunnel of others that does not
/// start is left out with the reason.
final class RunningPeers implements AutoCloseable {
  private static final long PATIENCE_NS = 30_000_000_000L; // tinc's path MTU search is slow

  private final BenchNetwork network;
  private final List<Peer> started = new ArrayList<>();
  private final List<Peer> running = new ArrayList<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  private RunningPeers(BenchNetwork network) {
    this.network = network;
  }

  /// Starts the direct path, our tunnel, and the selected tunnels of others.
  ///
  /// @throws IllegalStateException when our tunnel does not start
  static RunningPeers start(BenchEnvironment environment, Peer ours, PeerOptions others)
      throws IOException {
    var all = new ArrayList<>(List.of(new DirectPeer(), ours));
    all.addAll(PeerScripts.unpack(environment.network(), environment.directory(), others.names()));
    return start(environment.network(), all);
  }

  /// Starts peers in their order.
  ///
  /// @throws IllegalStateException when one of ours does not start
  static RunningPeers start(BenchNetwork network, List<? extends Peer> peers) throws IOException {
    var all = new RunningPeers(network);
    try {
      for (Peer peer : peers) {
        all.start(peer);
      }
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private void start(Peer peer) throws IOException {
    started.add(peer);
    try {
      peer.start();
      if (FirstPacket.awaitNs(network, peer.target(), PATIENCE_NS, System::nanoTime) < 0) {
        throw new IllegalStateException("no packet passes");
      }
      running.add(peer);
      System.err.printf("%s: %s%n", peer.name(), peer.note());
    } catch (IllegalStateException e) {
      if (peer.role() == Role.OURS || peer.role() == Role.DIRECT) {
        throw e;
      }
      peer.close();
      missing.put(peer.name(), String.valueOf(e.getMessage()));
      System.err.printf("%s is left out: %s%n", peer.name(), e.getMessage());
    }
  }

  /// Returns the peers that carry packets.
  List<Peer> list() {
    return List.copyOf(running);
  }

  /// Returns the roles of the peers that carry packets, by name.
  Map<String, Role> roles() {
    var roles = new LinkedHashMap<String, Role>();
    running.forEach(peer -> roles.put(peer.name(), peer.role()));
    return roles;
  }

  /// Returns the names of the running tunnels of others.
  List<String> others() {
    return running.stream()
        .filter(peer -> peer.role() == Role.PEER || peer.role() == Role.BOUND)
        .map(Peer::name)
        .toList();
  }

  /// Returns the peers that are left out, with the reason.
  Map<String, String> missing() {
    return missing;
  }

  /// Adds version and settings of each peer to the conditions of a report, and returns these.
  Map<String, String> describe(Map<String, String> conditions) {
    running.forEach(peer -> conditions.put("peer " + peer.name(), peer.note()));
    return conditions;
  }

  @Override
  public void close() {
    started.reversed().forEach(Peer::close);
  }
}
