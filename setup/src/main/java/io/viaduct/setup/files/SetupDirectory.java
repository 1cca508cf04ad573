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

/// The directory of an installation. Files have mode 600 and directories 700 whatever the umask is.
/// A file that is there is kept as it is; [#replace] alone changes one.
public final class SetupDirectory {
  private static final FileAttribute<Set<PosixFilePermission>> FILE = mode("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = mode("rwx------");

  private static final int DEPTH = 4; // users/NAME/DEVICE/FILE

  private final Path root;
  private final List<Entry> entries = new ArrayList<>();

  /// What happened to a file.
  public enum Fate {
    MADE,
    KEPT,
    CHANGED
  }

  /// @param file relative to the directory of the installation
  public record Entry(Fate fate, String file) {}

  /// Yields the text of a file that is not there yet.
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

  /// Returns what happened to each file so far, in this order.
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /// Makes a file, unless it is there: then the text is not even asked for.
  public void make(String file, Text text) throws IOException {
    if (has(file)) {
      keep(file);
      return;
    }
    write(file, text.make());
    entries.add(new Entry(Fate.MADE, file));
  }

  /// Makes a file that other users may read, in a directory that they may not enter: for a
  /// container that gets the file alone.
  public void makeReadable(String file, Text text) throws IOException {
    boolean isNew = !has(file);
    make(file, text);
    if (isNew) {
      Files.setPosixFilePermissions(path(file), PosixFilePermissions.fromString("rw-r--r--"));
    }
  }

  /// Notes that a file is there and stays as it is.
  public void keep(String file) {
    entries.add(new Entry(Fate.KEPT, file));
  }

  /// Gives a file other content; readers see the old or the new one, never a part.
  public void replace(String file, String text) throws IOException {
    write(file, text);
    if (!entries.contains(new Entry(Fate.MADE, file))) { // made and completed in one run
      entries.remove(new Entry(Fate.KEPT, file));
      entries.add(new Entry(Fate.CHANGED, file));
    }
  }

  /// Reads a file.
  public String read(String file) throws IOException {
    return Files.readString(path(file));
  }

  /// Returns the files of one name that are there, in any directory.
  public List<String> named(String name) throws IOException {
    try (Stream<Path> files = Files.find(root, DEPTH, (file, _) -> file.endsWith(name))) {
      return files.map(file -> root.relativize(file).toString()).sorted().toList();
    }
  }

  /// Tells whether a file is there.
  public boolean has(String file) {
    return Files.exists(path(file));
  }

  // Under another name first: a run that is killed leaves no half file behind its own name.
  private void write(String file, String text) throws IOException {
    Path target = path(file);
    Path parent = Objects.requireNonNull(target.getParent(), "a file of a directory");
    try {
      makeDirectory(parent);
      Path part = Files.createTempFile(parent, ".setup-", ".part", FILE);
      Files.writeString(part, text);
      UserPrincipal owner = Files.getOwner(Files.exists(target) ? target : parent);
      if (!owner.equals(Files.getOwner(part))) { // root works for the user whose service reads it
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
