package io.viaduct.setup.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// The directory of an installation. Files have mode 600 and directories 700, whatever the umask
/// is. Existing files are kept; only [#replace] changes one.
public final class SetupDirectory {
  private static final FileAttribute<Set<PosixFilePermission>> FILE = mode("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = mode("rwx------");

  private static final int DEPTH = 4; // users/NAME/DEVICE/FILE

  private final Path root;
  private final List<Entry> entries = new ArrayList<>();

  /// The result for one file.
  public enum Outcome {
    MADE,
    KEPT,
    CHANGED
  }

  /// @param file relative to the directory of the installation
  public record Entry(Outcome outcome, String file) {}

  /// Makes the text of a new file.
  @FunctionalInterface
  public interface Text {
    String make() throws IOException;
  }

  public SetupDirectory(Path root) {
    this.root = root.toAbsolutePath();
  }

  /// Returns the path of a file.
  public Path path(String file) {
    return root.resolve(file);
  }

  /// Returns the results so far, in their order.
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /// Makes a file, unless it exists. The text is made only for a new file.
  public void make(String file, Text text) throws IOException {
    if (has(file)) {
      keep(file);
      return;
    }
    write(file, text.make());
    entries.add(new Entry(Outcome.MADE, file));
  }

  /// Makes a file that other users may read, in a directory that they may not enter. A container
  /// that mounts only this file can read it.
  public void makeReadable(String file, Text text) throws IOException {
    boolean isNew = !has(file);
    make(file, text);
    if (isNew) {
      Files.setPosixFilePermissions(path(file), PosixFilePermissions.fromString("rw-r--r--"));
    }
  }

  /// Records that an existing file was kept.
  public void keep(String file) {
    entries.add(new Entry(Outcome.KEPT, file));
  }

  /// Replaces the content of a file. Readers see the old or the new content, never a part.
  public void replace(String file, String text) throws IOException {
    write(file, text);
    // A file that was made in this run stays MADE.
    if (!entries.contains(new Entry(Outcome.MADE, file))) {
      entries.remove(new Entry(Outcome.KEPT, file));
      entries.add(new Entry(Outcome.CHANGED, file));
    }
  }

  /// Reads a file.
  public String read(String file) throws IOException {
    return Files.readString(path(file));
  }

  /// Returns the existing files of one name, in all directories.
  public List<String> named(String name) throws IOException {
    try (Stream<Path> files = Files.find(root, DEPTH, (file, _) -> file.endsWith(name))) {
      return files.map(file -> root.relativize(file).toString()).sorted().toList();
    }
  }

  /// Returns whether a file exists.
  public boolean has(String file) {
    return Files.exists(path(file));
  }

  // Writes to a temporary name first, so that a killed run never leaves a partial file under the
  // final name.
  private void write(String file, String text) throws IOException {
    Path target = path(file);
    Path parent = Objects.requireNonNull(target.getParent(), "a file of a directory");
    try {
      makeDirectory(parent);
      Path part = Files.createTempFile(parent, ".setup-", ".part", FILE);
      Files.writeString(part, text);
      UserPrincipal owner = Files.getOwner(Files.exists(target) ? target : parent);
      // A file made by root must belong to the service's user.
      if (!owner.equals(Files.getOwner(part))) {
        Files.setOwner(part, owner);
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AccessDeniedException e) {
      throw new AccessDeniedException(
          e.getFile(), null, "may not be written: run setup as its owner or as root");
    }
  }

  private static void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    if (directory.getParent() != null) {
      makeDirectory(directory.getParent());
    }
    Files.createDirectory(directory, DIRECTORY);
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String rights) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights));
  }
}
