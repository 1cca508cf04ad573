package io.viaduct.snapt.reporting;

import io.viaduct.service.storage.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Counts the starts of this SNAPT, in a file. The count is the epoch of its reports. Sequence
/// numbers restart at 0 with each start, and the epoch distinguishes them.
public final class StartCounter {
  private StartCounter() {}

  /// Increments the count. The new count is durable when this returns.
  ///
  /// @return the epoch of this start, 1 or more
  /// @throws IOException if the file cannot be read or written, or contains no number. A restart
  ///   from 1 would give new reports the identities of old ones.
  public static long next(Path file) throws IOException {
    long last;
    try {
      last = Long.parseLong(Files.readString(file).strip());
    } catch (NoSuchFileException _) {
      last = 0;
    } catch (NumberFormatException _) {
      throw new IOException(
          file + ": must hold the number of starts; write a number above the last epoch billed");
    }
    long epoch = last + 1;
    DurableFile.write(file, (epoch + "\n").getBytes(StandardCharsets.US_ASCII));
    return epoch;
  }
}
