package io.viaduct.setup;

import java.nio.file.Path;

/// The checkout that started this program; printed commands name it.
///
/// @param root directory of the launcher `viaduct`
/// @param current the working directory
record Launcher(Path root, Path current) {
  /// Environment variable with which the launcher passes the root.
  static final String ROOT = "VIADUCT_ROOT";

  /// Returns the launcher as typed in the working directory.
  String command() {
    return root.equals(current) ? "./viaduct" : root.resolve("viaduct").toString();
  }

  /// Returns the absolute path of a service's program.
  Path program(String name) {
    return root.resolve("bin").resolve(name);
  }

  /// Returns the directory of the start caches (docs/adr/0022-start.md).
  Path startCaches() {
    return root.resolve("build/start");
  }
}
