package io.viaduct.service.storage;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates directories for personal data or keys. The directory gets mode 700, and only the
/// process's user may access the files below it. Files created later are private by the process's
/// umask.
public final class PrivateDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateDirectory.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private PrivateDirectory() {}

  /// Creates the directory. If it exists, removes the permissions of group and others from it and
  /// from everything below it. Symbolic links are not followed.
  ///
  /// @return the directory
  /// @throws IOException if the directory cannot be created or its modes cannot be changed
  public static Path make(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      return Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
    }
    PermissionRemoval removal = new PermissionRemoval();
    Files.walkFileTree(directory.toRealPath(), removal);
    if (removal.changed > 0) {
      LOG.warn(
          "{}: {} files and directories could be read by other users; their modes are 700 and 600"
              + " now",
          directory,
          removal.changed);
    }
    return directory;
  }

  private static final class PermissionRemoval extends SimpleFileVisitor<Path> {
    private int changed;

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      removeOthers(directory);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (!attributes.isSymbolicLink()) {
        removeOthers(file);
      }
      return FileVisitResult.CONTINUE;
    }

    private void removeOthers(Path path) throws IOException {
      Set<PosixFilePermission> modes =
          EnumSet.copyOf(
              Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                  .permissions());
      if (modes.removeAll(OTHERS)) {
        Files.setPosixFilePermissions(path, modes);
        changed++;
      }
    }
  }
}
