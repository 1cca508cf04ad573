package io.viaduct.webgui.operator;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A page of the files of charging data records, latest first.
///
/// @param waiting final intervals that are in no file yet
/// @param next cursor of the following page, null on the last page
public record CdrFiles(long waiting, List<CdrFile> files, @Nullable String next) {
  public CdrFiles {
    files = List.copyOf(files);
  }

  /// A file.
  ///
  /// @param bytes its length; null until it is written
  public record CdrFile(
      long sequence,
      String name,
      int records,
      Instant closedAt,
      @Nullable Long bytes,
      @Nullable String sha256,
      @Nullable Instant writtenAt) {
    public CdrFile {
      Objects.requireNonNull(name);
      Objects.requireNonNull(closedAt);
    }
  }
}
