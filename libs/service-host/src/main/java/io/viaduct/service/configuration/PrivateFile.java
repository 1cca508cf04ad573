package io.viaduct.service.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Checks the mode of files that hold a secret: only the owner may read or write passwords, tokens
/// and private keys.
public final class PrivateFile {
  private static final Set<PosixFilePermission> FOREIGN =
      PosixFilePermissions.fromString("---rw-rw-");

  private PrivateFile() {}

  /// Checks that neither group nor others may read or write a file.
  ///
  /// @throws IllegalArgumentException naming the file, its mode and the command that corrects it
  /// @throws IOException if the file's mode cannot be read
  public static void require(Path file) throws IOException {
    Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
    if (mode.stream().anyMatch(FOREIGN::contains)) {
      throw new IllegalArgumentException(
          "secret file %s must not be open to group or others, its mode is %s: chmod 600 %s"
              .formatted(file, PosixFilePermissions.toString(mode), file));
    }
  }
}
