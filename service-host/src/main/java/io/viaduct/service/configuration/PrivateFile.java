package io.viaduct.service.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// The one rule about files that hold a secret: passwords, tokens and private keys belong to their
/// owner alone.
public final class PrivateFile {
  private static final Set<PosixFilePermission> FOREIGN =
      PosixFilePermissions.fromString("---rw-rw-");

  private PrivateFile() {}

  /// Checks that neither group nor others may read or write a file.
  ///
  /// @throws IllegalArgumentException naming the file, its mode and the command that mends it
  /// @throws IOException if the file cannot be looked at
  public static void require(Path file) throws IOException {
    Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
    if (mode.stream().anyMatch(FOREIGN::contains)) {
      throw new IllegalArgumentException(
          "secret file %s must not be open to group or others, its mode is %s: chmod 600 %s"
              .formatted(file, PosixFilePermissions.toString(mode), file));
    }
  }
}
