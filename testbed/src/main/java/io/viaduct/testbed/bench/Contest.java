package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The direct path, our tunnel and those of others, running side by side until the end of a
/// benchmark.
final class Contest implements AutoCloseable {
  private final List<Peer> all = new ArrayList<>();
  private final List<Peer> running = new ArrayList<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  private Contest() {}

  /// Starts everybody, the direct path first, ours second; others that do not start are left out.
  ///
  /// @throws IllegalStateException when ours does not start
  static Contest start(Stand stand, Peer ours, PeerOptions others) throws IOException {
    var contest = new Contest();
    contest.all.addAll(List.of(new DirectPeer(), ours));
    try {
      contest.all.addAll(others.unpack(stand));
      contest.running.addAll(stand.startAll(contest.all, contest.missing));
      return contest;
    } catch (IOException | RuntimeException e) {
      contest.close();
      throw e;
    }
  }

  /// Those that carry packets.
  List<Peer> running() {
    return List.copyOf(running);
  }

  /// For the report.
  ///
  /// @param failures what some of them did not carry, with the reason
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
