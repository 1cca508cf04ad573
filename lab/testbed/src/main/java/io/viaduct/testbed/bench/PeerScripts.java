package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// Shell scripts that start other tunnels, copied from the jar to a directory that a shell can
/// read. To add a peer, add a script to the folder `peers`, as its `prelude.sh` explains, and its
/// name here.
final class PeerScripts {
  /// The relay that copies packets and does nothing else.
  static final String NULL_TUN = "nulltun";

  /// Tunnels that encrypt or compress in common configurations, and one bound.
  static final List<String> NAMES =
      List.of(
          "wireguard-go",
          "boringtun",
          "nebula",
          "openvpn",
          "openvpn-lz4",
          "strongswan",
          "vtun-lzo",
          "tinc",
          "tinc-zlib9",
          NULL_TUN);

  private static final List<String> SHARED = List.of("prelude.sh", "relay.c");
  private static final List<String> NONE = List.of("none");
  private static final Set<String> BOUNDS = Set.of(NULL_TUN);

  private PeerScripts() {}

  /// Returns the selected tunnels, or all without a name.
  ///
  /// @throws IllegalArgumentException with the existing names, if a name is unknown
  static List<ScriptPeer> unpack(BenchNetwork network, Path directory, List<String> chosen)
      throws IOException {
    Path scripts = Files.createDirectories(directory.resolve("peers"));
    for (String file : SHARED) {
      copy(file, scripts);
    }
    for (String name : NAMES) {
      copy(name + ".sh", scripts);
    }
    List<String> names =
        chosen.equals(NONE) ? List.of() : Selection.of(NAMES, name -> name, chosen, "peer");
    return names.stream().map(name -> peer(name, network, directory)).toList();
  }

  private static ScriptPeer peer(String name, BenchNetwork network, Path directory) {
    Role role = BOUNDS.contains(name) ? Role.BOUND : Role.PEER;
    return new ScriptPeer(name, role, NAMES.indexOf(name) + 1, network, directory);
  }

  private static void copy(String file, Path to) throws IOException {
    try (InputStream in = PeerScripts.class.getResourceAsStream("peers/" + file)) {
      if (in == null) {
        throw new IllegalStateException("peers/" + file + " is missing from the jar");
      }
      Files.copy(in, to.resolve(file));
    }
  }
}
