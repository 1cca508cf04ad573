package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// The shell scripts that start the tunnels of others, unpacked from the jar to where a shell can
/// read them. A new peer is a script of the folder `peers`, explained in its `prelude.sh`, and its
/// name here.
final class PeerScripts {
  /// The relay that only copies.
  static final String NULL_TUN = "nulltun";

  /// Tunnels that encrypt or compress as people use them, and one bound.
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

  /// The chosen ones, all of them when none is named.
  ///
  /// @throws IllegalArgumentException naming what exists, when one does not
  static List<ScriptPeer> unpack(Ground ground, Path directory, List<String> chosen)
      throws IOException {
    Path scripts = Files.createDirectories(directory.resolve("peers"));
    for (String file : SHARED) {
      copy(file, scripts);
    }
    for (String name : NAMES) {
      copy(name + ".sh", scripts);
    }
    List<String> names =
        chosen.equals(NONE) ? List.of() : Chosen.of(NAMES, name -> name, chosen, "peer");
    return names.stream().map(name -> peer(name, ground, directory)).toList();
  }

  private static ScriptPeer peer(String name, Ground ground, Path directory) {
    Role role = BOUNDS.contains(name) ? Role.BOUND : Role.PEER;
    return new ScriptPeer(name, role, NAMES.indexOf(name) + 1, ground, directory);
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
