package io.viaduct.billing.database;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates directories that only their owner can enter (mode 0700), independent of the umask.
final class PrivateDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateDirectory.class);
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  private PrivateDirectory() {}

  /// Creates a directory. If it exists and is open to other users, closes it.
  ///
  /// @param ours names that billing creates there; a directory with any other name in it belongs to
  ///   somebody else and is left unchanged
  /// @throws IOException if the directory is open to other users and must not or cannot be closed
  static void make(Path directory, Predicate<String> ours) throws IOException {
    if (!Files.exists(directory)) {
      Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PRIVATE));
    }
    Set<PosixFilePermission> found = Files.getPosixFilePermissions(directory);
    if (isPrivate(found)) {
      return;
    }
    String mode = PosixFilePermissions.toString(found);
    List<String> foreign = names(directory).stream().filter(ours.negate()).sorted().toList();
    if (!foreign.isEmpty()) {
      throw new IOException(
          "directory %s is open to other users (%s) and holds '%s', which is not billing's: name a directory of billing's own, or run chmod 700 %s"
              .formatted(directory, mode, foreign.getFirst(), directory));
    }
    try {
      close(directory);
    } catch (FileSystemException e) {
      throw new IOException(
          "directory %s is open to other users (%s) and belongs to %s: make billing's user its owner, then run chmod 700 %s"
              .formatted(directory, mode, Files.getOwner(directory).getName(), directory),
          e);
    }
    LOG.warn("directory {} was open to other users ({}): closed it (rwx------)", directory, mode);
  }

  /// Removes other users' permissions on a directory and on the directories in it.
  static void closeWithChildren(Path directory) throws IOException {
    close(directory);
    for (String name : names(directory)) {
      Path child = directory.resolve(name);
      if (Files.isDirectory(child)) {
        close(child);
      }
    }
  }

  private static void close(Path directory) throws IOException {
    if (!isPrivate(Files.getPosixFilePermissions(directory))) {
      Files.setPosixFilePermissions(directory, PRIVATE);
    }
  }

  private static boolean isPrivate(Set<PosixFilePermission> mode) {
    EnumSet<PosixFilePermission> others = EnumSet.complementOf(EnumSet.copyOf(PRIVATE));
    others.retainAll(mode);
    return others.isEmpty();
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      return children.map(child -> child.getFileName().toString()).toList();
    }
  }
}
