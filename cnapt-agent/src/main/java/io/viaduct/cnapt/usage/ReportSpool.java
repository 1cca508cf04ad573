package io.viaduct.cnapt.usage;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.storage.FileQueue;
import io.viaduct.usage.v1.SignedDeviceReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The directory of reports that the bridge has not taken. A report is on disk before it is sent,
/// so it survives every end of the agent. The oldest reports give way to new ones. Used by one
/// thread.
final class ReportSpool {
  private final FileQueue queue;
  private final int most;

  private ReportSpool(FileQueue queue, int most) {
    this.queue = queue;
    this.most = most;
  }

  /// Opens the directory, or creates it with mode 0700.
  ///
  /// @param most most reports
  /// @throws IOException if the directory cannot be used
  static ReportSpool open(Path directory, int most) throws IOException {
    return new ReportSpool(FileQueue.open(directory), most);
  }

  /// Adds a report durably.
  ///
  /// @return number of older reports that gave way
  int add(SignedDeviceReport report) throws IOException {
    queue.add(report.toByteArray());
    int dropped = 0;
    for (; queue.size() > most; dropped++) {
      queue.remove(queue.oldest().getAsLong());
    }
    return dropped;
  }

  int size() {
    return queue.size();
  }

  /// Returns the number of the oldest report, or null.
  @Nullable Long oldest() {
    OptionalLong oldest = queue.oldest();
    return oldest.isPresent() ? oldest.getAsLong() : null;
  }

  /// Reads a report; null if its file cannot be read, and then it is gone.
  @Nullable SignedDeviceReport read(long number) throws IOException {
    Optional<byte[]> bytes = queue.read(number);
    if (bytes.isEmpty()) {
      return null;
    }
    try {
      return SignedDeviceReport.parseFrom(bytes.get());
    } catch (InvalidProtocolBufferException _) {
      queue.remove(number);
      return null;
    }
  }

  void remove(long number) throws IOException {
    queue.remove(number);
  }
}
