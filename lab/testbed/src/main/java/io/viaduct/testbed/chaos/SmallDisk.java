package io.viaduct.testbed.chaos;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file system of its own for one directory, which can be filled to the last byte.
///
/// @param directory the mount point
record SmallDisk(Path directory) {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int LAST_BYTES = 1; // smaller than any block: a partly used block is none

  /// Mounts the file system over an empty directory.
  static SmallDisk mount(Path directory, int mebibytes) throws IOException {
    Files.createDirectories(directory);
    Command.run(
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=%dm,mode=700".formatted(mebibytes),
        "tmpfs",
        directory.toString());
    return new SmallDisk(directory);
  }

  private Path filler() {
    return directory.resolve("filler");
  }

  /// Fills the disk: the next block that a program asks for is refused (ENOSPC).
  void fill() throws IOException {
    try (FileChannel file =
        FileChannel.open(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      int chunk = CHUNK_BYTES;
      while (chunk >= LAST_BYTES) {
        try {
          file.write(ByteBuffer.allocate(chunk));
        } catch (IOException full) {
          chunk /= 2;
        }
      }
    }
  }

  /// Frees the disk.
  void free() throws IOException {
    Files.deleteIfExists(filler());
  }
}
