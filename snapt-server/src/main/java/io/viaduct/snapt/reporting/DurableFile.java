package io.viaduct.snapt.reporting;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Writes files atomically and durably, also in a power loss: a file is either complete or absent.
/// Writes a temporary file, synchronises it, renames it, and synchronises the directory. Blocks on
/// the disk, so event loops must not call it.
public final class DurableFile {
  /// Suffix of temporary files; the next start removes those that a crash left.
  static final String UNFINISHED = ".unfinished";

  private DurableFile() {}

  /// Replaces or creates a file.
  public static void write(Path file, byte[] content) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    move(unfinished, file);
  }

  static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    synchronise(to.resolveSibling("."));
  }

  static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
    synchronise(file.resolveSibling("."));
  }

  /// Waits until a file, or the entries of a directory, are on the disk (fsync).
  static void synchronise(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
