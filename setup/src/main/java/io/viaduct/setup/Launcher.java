package io.viaduct.setup;

import java.nio.file.Path;

/// The checkout that started this program, as printed commands name it.
///
/// @param root directory of the launcher `viaduct`
/// @param current the working directory
record Launcher(Path root, Path current) {
  /// The root comes from the launcher by this variable.
  static final String ROOT = "VIADUCT_ROOT";

  /// Returns the launcher as a person types it here.
  String command() {
    return root.equals(current) ? "./viaduct" : root.resolve("viaduct").toString();
  }

  /// Returns the absolute path of a service's program.
  Path program(String name) {
    return root.resolve("bin").resolve(name);
  }

  /// Returns where services keep what makes them start faster.
  Path startCaches() {
    return root.resolve("build/start");
  }
}
