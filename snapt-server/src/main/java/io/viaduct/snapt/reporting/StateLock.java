package io.viaduct.snapt.reporting;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Locks the state directory, so that only one SNAPT uses it at a time.
public final class StateLock {
  private StateLock() {}

  /// Acquires the lock. It is released when its channel is closed or the process ends.
  ///
  /// @throws IOException if another SNAPT holds the lock
  public static FileLock take(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      throw new IOException(file + ": another SNAPT uses this state directory: give each its own");
    }
    return lock;
  }
}
