package io.viaduct.cnapt.usage;

import io.viaduct.usage.v1.SignedDeviceReport;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The directory of reports that the bridge has not taken, one file each, named by a number that
/// grows. A report is on disk before it is sent, so it survives every end of the agent. The oldest
/// reports give way to new ones. Used by one thread.
final class ReportSpool {
  private final Path directory;
  private final int most;
  private final TreeMap<Long, Path> files = new TreeMap<>();

  private ReportSpool(Path directory, int most) {
    this.directory = directory;
    this.most = most;
  }

  /// Opens the directory, or creates it with mode 0700.
  ///
  /// @param most most reports
  /// @throws IOException if the directory cannot be used
  static ReportSpool open(Path directory, int most) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    ReportSpool spool = new ReportSpool(directory, most);
    try (Stream<Path> found = Files.list(directory)) {
      for (Path file : found.toList()) {
        String name = file.getFileName().toString();
        if (name.matches("\\d{19}")) {
          spool.files.put(Long.valueOf(name), file);
        } else {
          Files.delete(file); // the agent ended while it wrote
        }
      }
    }
    return spool;
  }

  /// Adds a report durably.
  ///
  /// @return number of older reports that gave way
  int add(SignedDeviceReport report) throws IOException {
    long number = files.isEmpty() ? 1 : files.lastKey() + 1;
    Path file = directory.resolve("%019d".formatted(number));
    Path written = directory.resolve("written");
    try (FileChannel channel =
        FileChannel.open(
            written,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      channel.write(report.toByteString().asReadOnlyByteBuffer());
      channel.force(true);
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    files.put(number, file);
    int dropped = 0;
    while (files.size() > most) {
      remove(files.firstKey());
      dropped++;
    }
    return dropped;
  }

  int size() {
    return files.size();
  }

  /// Returns the number of the oldest report, or null.
  @Nullable Long oldest() {
    return files.isEmpty() ? null : files.firstKey();
  }

  /// Reads a report; null if its file cannot be read, and then it is gone.
  @Nullable SignedDeviceReport read(long number) throws IOException {
    Path file = files.get(number);
    if (file == null) {
      return null;
    }
    try {
      return SignedDeviceReport.parseFrom(Files.readAllBytes(file));
    } catch (NoSuchFileException | com.google.protobuf.InvalidProtocolBufferException _) {
      remove(number);
      return null;
    }
  }

  void remove(long number) throws IOException {
    Map.Entry<Long, Path> entry = files.floorEntry(number);
    if (entry != null && entry.getKey() == number) {
      Files.deleteIfExists(entry.getValue());
      files.remove(number);
    }
  }
}
