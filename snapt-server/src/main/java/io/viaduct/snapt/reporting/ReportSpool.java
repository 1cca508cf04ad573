package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
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

/// Reports that the bridge has not yet acknowledged, one file each, durable before [#add] returns.
///
/// A report leaves in one of two ways only: the bridge's verdict says that billing has it, or that
/// it will never be billed; then it moves to `refused/`, where the operator finds it. A report that
/// billing has provisionally stays until its receipt is there ([Receipts]). The limit never drops a
/// report: it makes the SNAPT refuse new sessions. One thread, the reporting thread, calls the
/// methods that change it; the sizes may be read from any.
public final class ReportSpool {
  private static final Logger log = LoggerFactory.getLogger(ReportSpool.class);

  private final Path folder;
  private final Path refused;
  private final int reportsMax;
  private final ConcurrentSkipListMap<ReportIdentity, Waiting> waiting =
      new ConcurrentSkipListMap<>();
  // Those of them that may be sent: the others wait for a receipt.
  private final ConcurrentSkipListSet<ReportIdentity> sendable = new ConcurrentSkipListSet<>();
  private final OwedReceipts owed = new OwedReceipts();
  private volatile int pending;

  /// @param bytes of the file
  /// @param endMs end of the report's interval, Unix milliseconds
  private record Waiting(int bytes, long endMs) {}

  private ReportSpool(Path folder, int reportsMax) {
    this.folder = folder;
    this.refused = folder.resolve("refused");
    this.reportsMax = reportsMax;
  }

  /// Opens the spool and finds what earlier starts left in it. A file that is no report (a damaged
  /// disk) moves to `refused/`.
  ///
  /// @param reportsMax reports above which [#full] holds
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
    log.warn("{} is no report of this SNAPT: moved to {}", file, refused);
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

  /// Keeps a report until it is acknowledged. The same report with another envelope, with its
  /// receipt, takes the place of the first; it may be sent.
  public void add(ReportIdentity identity, SignedUsageReport report) throws IOException {
    byte[] bytes = report.toByteArray();
    DurableFile.write(folder.resolve(identity.fileName()), bytes);
    UsageReport content = UsageReport.parseFrom(report.getReport());
    waiting.put(identity, new Waiting(bytes.length, content.getEndMs()));
    owed.take(identity, report, content);
    sendable.add(identity);
    pending = waiting.size();
  }

  /// The receipts that its reports need.
  OwedReceipts owed() {
    return owed;
  }

  /// Keeps a report back until [#release]; the next start releases all.
  void withhold(ReportIdentity identity) {
    sendable.remove(identity);
  }

  /// Lets a report be sent.
  void release(ReportIdentity identity) {
    if (holds(identity)) {
      sendable.add(identity);
    }
  }

  /// Whether a report of that identity waits here.
  public boolean holds(ReportIdentity identity) {
    return waiting.containsKey(identity);
  }

  /// The report to be sent after another one.
  ///
  /// @param after absent for the first of all
  public Optional<ReportIdentity> next(Optional<ReportIdentity> after) {
    return Optional.ofNullable(after.isPresent() ? sendable.higher(after.get()) : first());
  }

  private @Nullable ReportIdentity first() {
    return sendable.isEmpty() ? null : sendable.first();
  }

  /// Reads a waiting report.
  public SignedUsageReport read(ReportIdentity identity) throws IOException {
    return SignedUsageReport.parseFrom(Files.readAllBytes(folder.resolve(identity.fileName())));
  }

  /// The bridge has it for good: the report is deleted.
  ///
  /// @return false if no such report waits (an answer that came twice)
  public boolean acknowledge(ReportIdentity identity) throws IOException {
    if (!forget(identity)) {
      return false;
    }
    DurableFile.delete(folder.resolve(identity.fileName()));
    return true;
  }

  /// The bridge will never take it: the report moves to where the operator finds it.
  ///
  /// @return false if no such report waits
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

  /// Whether a report waits that may be sent; any thread.
  boolean hasSendable() {
    return !sendable.isEmpty();
  }

  /// Reports that wait.
  public int pending() {
    return pending;
  }

  /// Bytes of the reports that wait.
  public long pendingBytes() {
    return waiting.values().stream().mapToLong(Waiting::bytes).sum();
  }

  /// Age of the oldest report that waits, in seconds since its interval ended; 0 when none waits.
  public double oldestSeconds(long nowMs) {
    return waiting.values().stream().mapToLong(Waiting::endMs).min().stream()
        .mapToDouble(endMs -> Math.max(0, nowMs - endMs) / 1000.0)
        .findFirst()
        .orElse(0);
  }

  /// Whether no new session may begin, because what it would report has no place.
  public boolean full() {
    return pending >= reportsMax;
  }
}
