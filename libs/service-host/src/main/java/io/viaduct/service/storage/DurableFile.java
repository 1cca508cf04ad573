package io.viaduct.service.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/// Writes files atomically and durably, also in a power loss: a file is either complete or absent.
/// Writes a temporary file, synchronises it, renames it, and synchronises the directory. Blocks on
/// the disk, so event loops must not call it. A new file has mode 600.
public final class DurableFile {
  /// Suffix of temporary files; the next start removes those that a crash left.
  public static final String UNFINISHED = ".unfinished";

  private DurableFile() {}

  /// Replaces or creates a file.
  public static void write(Path file, byte[] content) throws IOException {
    Path unfinished = unfinished(file);
    writeUnfinished(unfinished, content);
    move(unfinished, file);
  }

  /// Replaces or creates files of one directory, in their order, and waits for the directory once.
  public static void writeAll(SequencedMap<Path, byte[]> files) throws IOException {
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      writeUnfinished(unfinished(file.getKey()), file.getValue());
    }
    for (Path file : files.keySet()) {
      rename(unfinished(file), file);
    }
    if (!files.isEmpty()) {
      synchronise(files.firstEntry().getKey().resolveSibling("."));
    }
  }

  /// Returns the temporary file of a file.
  static Path unfinished(Path file) {
    return file.resolveSibling(file.getFileName() + UNFINISHED);
  }

  private static void writeUnfinished(Path unfinished, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /// Renames a file; one with the new name is replaced.
  public static void move(Path from, Path to) throws IOException {
    rename(from, to);
    synchronise(to.resolveSibling("."));
  }

  private static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /// Deletes a file if it exists.
  public static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
    synchronise(file.resolveSibling("."));
  }

  /// Waits until a file, or the entries of a directory, are on the disk (fsync).
  public static void synchronise(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
