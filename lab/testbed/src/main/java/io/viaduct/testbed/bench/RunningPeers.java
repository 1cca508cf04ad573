package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The direct path, our tunnel and other tunnels, which run side by side until the end of a
/// benchmark.
final class RunningPeers implements AutoCloseable {
  private final List<Peer> all = new ArrayList<>();
  private final List<Peer> running = new ArrayList<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  private RunningPeers() {}

  /// Starts all peers, the direct path first, our tunnel second. Other tunnels that do not start
  /// are left out.
  ///
  /// @throws IllegalStateException when our tunnel does not start
  static RunningPeers start(BenchEnvironment environment, Peer ours, PeerOptions others)
      throws IOException {
    var runningPeers = new RunningPeers();
    runningPeers.all.addAll(List.of(new DirectPeer(), ours));
    try {
      runningPeers.all.addAll(others.unpack(environment));
      runningPeers.running.addAll(environment.startAll(runningPeers.all, runningPeers.missing));
      return runningPeers;
    } catch (IOException | RuntimeException e) {
      runningPeers.close();
      throw e;
    }
  }

  /// Returns the peers that carry packets.
  List<Peer> list() {
    return List.copyOf(running);
  }

  /// Describes the peers for a report.
  ///
  /// @param failures failed measures of peers, with the reason
  Participants participants(Map<String, String> failures) {
    var notes = new LinkedHashMap<String, String>();
    var roles = new LinkedHashMap<String, Role>();
    for (Peer peer : running) {
      notes.put(peer.name(), peer.note());
      roles.put(peer.name(), peer.role());
    }
    var absent = new LinkedHashMap<>(missing);
    absent.putAll(failures);
    return new Participants(notes, roles, absent);
  }

  @Override
  public void close() {
    all.reversed().forEach(Peer::close);
  }
}
