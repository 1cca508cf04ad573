package io.viaduct.service.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A queue on disk: a directory with one file for each entry, named by a number that grows. An
/// entry is durable when [#add] returns. The queue has no limit of its own: its user decides what
/// happens when it is too long. Blocks on the disk. Not thread-safe.
public final class FileQueue {
  private static final String NAME = "%019d";
  private static final String REFUSED = "refused";

  private final Path directory;
  private final TreeMap<Long, Path> files = new TreeMap<>();
  // The greatest number that a file has had, so that a refused entry is never overwritten.
  private long last;

  private FileQueue(Path directory) {
    this.directory = directory;
  }

  /// Opens a directory with the entries of earlier starts, or creates it with mode 700. Deletes
  /// what a process that ended while it wrote has left.
  ///
  /// @throws IOException if the directory cannot be used
  public static FileQueue open(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    FileQueue queue = new FileQueue(directory);
    try (Stream<Path> found = Files.list(directory)) {
      for (Path file : found.toList()) {
        String name = file.getFileName().toString();
        if (name.matches("\\d{19}")) {
          queue.files.put(Long.valueOf(name), file);
        } else if (!name.equals(REFUSED)) {
          Files.delete(file);
        }
      }
    }
    queue.last = Math.max(queue.files.isEmpty() ? 0 : queue.files.lastKey(), refused(directory));
    return queue;
  }

  private static long refused(Path directory) throws IOException {
    Path refused = directory.resolve(REFUSED);
    if (!Files.isDirectory(refused)) {
      return 0;
    }
    try (Stream<Path> found = Files.list(refused)) {
      return found
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("\\d{19}"))
          .mapToLong(Long::parseLong)
          .max()
          .orElse(0);
    }
  }

  /// Adds an entry at the end.
  ///
  /// @return its number
  public long add(byte[] entry) throws IOException {
    addAll(List.of(entry));
    return last;
  }

  /// Adds entries at the end, in their order. They share the wait for the directory. If the disk
  /// fails, none is added. A process that is killed meanwhile leaves the first ones of them, or
  /// none; after a power loss this depends on the file system, which journals renames in their
  /// order.
  public void addAll(List<byte[]> entries) throws IOException {
    SequencedMap<Path, byte[]> added = new LinkedHashMap<>();
    for (byte[] entry : entries) {
      added.put(directory.resolve(NAME.formatted(last + 1 + added.size())), entry);
    }
    try {
      DurableFile.writeAll(added);
    } catch (IOException e) {
      undo(added.keySet(), e);
      throw e;
    }
    for (Path file : added.keySet()) {
      last++;
      files.put(last, file);
    }
  }

  // A file that stayed would be sent after a restart, beside the repetition of its entry.
  private static void undo(Set<Path> files, IOException cause) {
    for (Path file : files) {
      for (Path left : List.of(file, DurableFile.unfinished(file))) {
        try {
          Files.deleteIfExists(left);
        } catch (IOException e) {
          cause.addSuppressed(e);
        }
      }
    }
  }

  /// Returns the number of entries.
  public int size() {
    return files.size();
  }

  /// Returns the number of the oldest entry.
  public OptionalLong oldest() {
    return files.isEmpty() ? OptionalLong.empty() : OptionalLong.of(files.firstKey());
  }

  /// Returns the number of the entry after another one.
  public OptionalLong after(long number) {
    Map.Entry<Long, Path> next = files.higherEntry(number);
    return next == null ? OptionalLong.empty() : OptionalLong.of(next.getKey());
  }

  /// Reads an entry, or returns empty if it is gone.
  public Optional<byte[]> read(long number) throws IOException {
    Path file = files.get(number);
    if (file == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException _) {
      files.remove(number);
      return Optional.empty();
    }
  }

  /// Removes an entry. A power loss may bring it back.
  public void remove(long number) throws IOException {
    Path file = files.remove(number);
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }

  /// Moves an entry to the directory `refused`, because nobody will ever take it. There it waits
  /// for an operator; nothing deletes it.
  public void refuse(long number) throws IOException {
    Path file = files.remove(number);
    if (file != null) {
      Path refused = Files.createDirectories(directory.resolve(REFUSED));
      DurableFile.move(file, refused.resolve(file.getFileName()));
    }
  }
}
