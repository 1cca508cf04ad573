package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.storage.DurableFile;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores the reports that the bridge has not yet acknowledged, one file each. A report is durable
/// when [#add] returns.
///
/// A report leaves the spool in one of two ways. If billing has it, it is deleted. If it will never
/// be billed, it moves to `refused/`, where the operator finds it. A report that billing has
/// accepted provisionally stays until its receipt arrives ([Receipts]). The limit never drops a
/// report; it makes the SNAPT refuse new sessions. Only the reporting thread may change the spool;
/// any thread may read the sizes.
public final class ReportSpool {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSpool.class);

  private final Path folder;
  private final Path refused;
  private final int reportsMax;
  private final ConcurrentSkipListMap<ReportIdentity, Waiting> waiting =
      new ConcurrentSkipListMap<>();
  // The reports that may be sent now. All others wait for a receipt.
  private final ConcurrentSkipListSet<ReportIdentity> sendable = new ConcurrentSkipListSet<>();
  private final OwedReceipts owed = new OwedReceipts();
  private volatile int pending;

  /// @param bytes size of the file
  /// @param endMs end of the report's interval, Unix milliseconds
  private record Waiting(int bytes, long endMs) {}

  private ReportSpool(Path folder, int reportsMax) {
    this.folder = folder;
    this.refused = folder.resolve("refused");
    this.reportsMax = reportsMax;
  }

  /// Opens the spool and indexes the reports of earlier starts. Moves a file that is not a report
  /// (disk corruption) to `refused/`.
  ///
  /// @param reportsMax number of reports from which [#isFull] returns true
  public static ReportSpool open(Path folder, int reportsMax) throws IOException {
    ReportSpool spool = new ReportSpool(folder, reportsMax);
    Files.createDirectories(spool.refused);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, Files::isRegularFile)) {
      for (Path file : files) {
        spool.find(file);
      }
    }
    spool.pending = spool.waiting.size();
    return spool;
  }

  private void find(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (name.endsWith(DurableFile.UNFINISHED)) {
      DurableFile.delete(file);
      return;
    }
    Optional<ReportIdentity> identity = ReportIdentity.ofFile(name);
    if (identity.isPresent() && take(file, identity.get())) {
      return;
    }
    LOG.warn("{} is not a report of this SNAPT: moved to {}", file, refused);
    DurableFile.move(file, refused.resolve(name));
  }

  private boolean take(Path file, ReportIdentity identity) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file);
      SignedUsageReport signed = SignedUsageReport.parseFrom(bytes);
      UsageReport report = UsageReport.parseFrom(signed.getReport());
      if (!ReportIdentity.of(report).equals(identity)) {
        return false;
      }
      waiting.put(identity, new Waiting(bytes.length, report.getEndMs()));
      sendable.add(identity);
      owed.take(identity, signed, report);
      return true;
    } catch (InvalidProtocolBufferException | IllegalArgumentException _) {
      return false;
    }
  }

  /// Stores a report until it is acknowledged. A new envelope of the same report, with its receipt,
  /// replaces the first one. The report may then be sent.
  public void add(ReportIdentity identity, SignedUsageReport report) throws IOException {
    byte[] bytes = report.toByteArray();
    DurableFile.write(folder.resolve(identity.fileName()), bytes);
    UsageReport content = UsageReport.parseFrom(report.getReport());
    waiting.put(identity, new Waiting(bytes.length, content.getEndMs()));
    owed.take(identity, report, content);
    sendable.add(identity);
    pending = waiting.size();
  }

  /// Returns the index of the receipts that the reports need.
  OwedReceipts owed() {
    return owed;
  }

  /// Delays a report until [#release]. A restart releases all reports.
  void withhold(ReportIdentity identity) {
    sendable.remove(identity);
  }

  /// Allows a report to be sent.
  void release(ReportIdentity identity) {
    if (holds(identity)) {
      sendable.add(identity);
    }
  }

  /// Returns true if the spool has a report with this identity.
  public boolean holds(ReportIdentity identity) {
    return waiting.containsKey(identity);
  }

  /// Returns the report to send after another one.
  ///
  /// @param after the previous report, or empty for the first
  public Optional<ReportIdentity> next(Optional<ReportIdentity> after) {
    return Optional.ofNullable(after.isPresent() ? sendable.higher(after.get()) : first());
  }

  private @Nullable ReportIdentity first() {
    return sendable.isEmpty() ? null : sendable.first();
  }

  /// Reads a report from its file.
  public SignedUsageReport read(ReportIdentity identity) throws IOException {
    return SignedUsageReport.parseFrom(Files.readAllBytes(folder.resolve(identity.fileName())));
  }

  /// Deletes a report, because billing has it.
  ///
  /// @return false if the spool has no such report, for example after a duplicate answer
  public boolean acknowledge(ReportIdentity identity) throws IOException {
    if (!forget(identity)) {
      return false;
    }
    DurableFile.delete(folder.resolve(identity.fileName()));
    return true;
  }

  /// Moves a report to `refused/`, because billing will never accept it.
  ///
  /// @return false if the spool has no such report
  public boolean refuse(ReportIdentity identity) throws IOException {
    if (!forget(identity)) {
      return false;
    }
    DurableFile.move(folder.resolve(identity.fileName()), refused.resolve(identity.fileName()));
    return true;
  }

  private boolean forget(ReportIdentity identity) {
    boolean held = waiting.remove(identity) != null;
    sendable.remove(identity);
    owed.remove(identity);
    pending = waiting.size();
    return held;
  }

  /// Returns true if a report may be sent now; any thread may call this.
  boolean hasSendable() {
    return !sendable.isEmpty();
  }

  /// Returns the number of reports in the spool.
  public int pending() {
    return pending;
  }

  /// Returns the size of all reports in the spool, in bytes.
  public long pendingBytes() {
    return waiting.values().stream().mapToLong(Waiting::bytes).sum();
  }

  /// Returns the age of the oldest report, in seconds since the end of its interval; 0 if the spool
  /// is empty.
  public double oldestSeconds(long nowMs) {
    return waiting.values().stream().mapToLong(Waiting::endMs).min().stream()
        .mapToDouble(endMs -> Math.max(0, nowMs - endMs) / 1000.0)
        .findFirst()
        .orElse(0);
  }

  /// Returns true if the spool is full, and no new session may begin.
  public boolean isFull() {
    return pending >= reportsMax;
  }
}
