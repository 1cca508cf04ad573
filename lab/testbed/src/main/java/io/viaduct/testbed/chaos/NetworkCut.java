package io.viaduct.testbed.chaos;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.util.List;

/// A cut between two hosts, or between two services of one host. Nobody is told: packets get lost.
/// It needs no packet filter.
sealed interface NetworkCut {
  /// Cuts.
  void cut();

  /// Connects again.
  void heal();

  /// One of the two hosts of a cut.
  ///
  /// @param addresses of its interface to the core network
  record Side(List<NetworkNamespace> namespaces, List<String> addresses) {}

  /// A cut between hosts of the core network. Each side takes a hardware address that no one has
  /// for that of the other side, so that its frames reach nobody.
  record Hosts(Side one, Side other) implements NetworkCut {
    private static final String NOBODY = "02:00:00:00:00:01"; // locally administered

    @Override
    public void cut() {
      each(one, other, "neigh replace %s lladdr " + NOBODY + " dev core0 nud permanent");
      each(other, one, "neigh replace %s lladdr " + NOBODY + " dev core0 nud permanent");
    }

    @Override
    public void heal() {
      each(one, other, "neigh del %s dev core0");
      each(other, one, "neigh del %s dev core0");
    }

    private static void each(Side at, Side of, String command) {
      for (NetworkNamespace namespace : at.namespaces) {
        for (String address : of.addresses) {
          namespace.ip(command.formatted(address));
        }
      }
    }
  }

  /// A cut between services of one host: nothing reaches or leaves a TCP port. New connections fail
  /// at once, because the kernel has no route to it.
  record Port(NetworkNamespace host, int port) implements NetworkCut {
    private static final int LOCAL = 100;
    private static final int PRIORITY = 50;

    /// Makes a host ready for cuts: a rule before that of the local addresses needs room.
    static void prepare(NetworkNamespace host) {
      host.ip("rule add pref %d lookup local\nrule del pref 0".formatted(LOCAL));
    }

    @Override
    public void cut() {
      rules("add");
    }

    @Override
    public void heal() {
      rules("del");
    }

    private void rules(String verb) {
      for (String end : List.of("dport", "sport")) {
        host.ip(
            "rule %s pref %d ipproto tcp %s %d unreachable".formatted(verb, PRIORITY, end, port));
      }
    }
  }
}
