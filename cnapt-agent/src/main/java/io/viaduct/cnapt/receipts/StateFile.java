package io.viaduct.cnapt.receipts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The state file `receipts` of an agent, memory-mapped and locked. It has 16 bytes of format, then
/// records of equal size. Its mode is 0600, that of its directory 0700.
final class StateFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
  private static final long FORMAT = 0x7669_6164_7563_7401L; // "viaduct", version 1
  private static final int HEADER_BYTES = 16;

  private final FileChannel channel;
  private final MappedByteBuffer memory;

  private StateFile(FileChannel channel, MappedByteBuffer memory) {
    this.channel = channel;
    this.memory = memory;
  }

  /// Opens the file, or creates it. A file of another format or length is renamed to
  /// `receipts.unreadable`.
  ///
  /// @param placeBytes size of one record
  /// @throws IOException if the file cannot be used; the message names the path and says what to do
  static StateFile open(Path directory, int placeBytes, int places) throws IOException {
    Path file = directory.resolve("receipts");
    long bytes = HEADER_BYTES + (long) placeBytes * places;
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !isReadable(file, bytes)) {
        LOG.warn("{} is no state file of this version: set aside, earlier counts are lost", file);
        Files.move(
            file, file.resolveSibling("receipts.unreadable"), StandardCopyOption.REPLACE_EXISTING);
      }
      return map(file, bytes);
    } catch (IOException e) {
      throw new IOException(
          "%s: the agent's state cannot be kept there: %s: give another directory as 'state'"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static boolean isReadable(Path file, long bytes) throws IOException {
    try (FileChannel read = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer format = ByteBuffer.allocate(Long.BYTES);
      return read.size() == bytes
          && read.read(format, 0) == Long.BYTES
          && format.getLong(0) == FORMAT;
    }
  }

  private static StateFile map(Path file, long bytes) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      if (channel.tryLock() == null) {
        throw new IOException("another agent uses it");
      }
      MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
      memory.putLong(0, FORMAT);
      return new StateFile(channel, memory);
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw new IOException("another agent uses it", e);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /// Returns one record.
  ByteBuffer place(int number, int placeBytes) {
    return memory.slice(HEADER_BYTES + number * placeBytes, placeBytes);
  }

  /// Makes the file durable; waits for the disk.
  void force() {
    memory.force();
  }

  @Override
  public void close() throws IOException {
    memory.force();
    channel.close();
  }
}
