package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.storage.DurableFile;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.ReportParts;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the open intervals on disk, in an append-only log. The log contains changed lines of
/// reports, and the session tokens that authorise them. Appended records survive the end of the
/// process, because the page cache does. [Synchronised][#force] records also survive a power loss.
/// The next start makes a report of each open interval.
///
/// When the log is much larger than the open intervals, it is compacted into a new file. The older
/// file is deleted when the new one is durable. Until then, a start reads both files in order,
/// which gives the same result. After a disk error, the log starts a new file with all open
/// intervals. No usage is lost, and no record follows a record that may be torn.
///
/// Two rules ensure that one interval never becomes two different reports. A report is offered to
/// the bridge only after the log durably marks its interval as [closed][#closed]. At a start, if
/// spool and log both have a report of one identity, the report in the spool is used.
///
/// The checkpoint thread appends; the reporting thread closes intervals and synchronises. Both hold
/// the lock while they write into the page cache, but never while they wait for the disk.
public final class IntervalLog {
  private static final Logger LOG = LoggerFactory.getLogger(IntervalLog.class);
  private static final Pattern FILE = Pattern.compile("(\\d{1,18})\\.log");
  private static final long GROWTH = 4;
  private static final int FRAMES_PER_WRITE = 256;

  private final Path folder;
  private final long compactBytesMin;
  private final LongAdder tornTails = new LongAdder();
  private final LongAdder compactions = new LongAdder();

  // The fields from here on are guarded by the lock.
  private final OpenIntervals open = new OpenIntervals();
  private final TreeMap<Long, Path> older = new TreeMap<>();
  // By token id; used only while files are read.
  private final Map<String, Shown> tokens = new HashMap<>();
  private @Nullable FileChannel channel;
  private long number;
  private long bytes;
  private boolean durable = true;

  /// A token in the log.
  ///
  /// @param receipts true if the token's device signs receipts
  private record Shown(SignedSessionToken token, boolean receipts) {
    static final Shown NONE = new Shown(SignedSessionToken.getDefaultInstance(), true);
  }

  private IntervalLog(Path folder, long compactBytesMin) {
    this.folder = folder;
    this.compactBytesMin = compactBytesMin;
  }

  /// Reads the files of earlier starts. The caller must then call [#recover].
  ///
  /// @param compactBytesMin size, in bytes, below which the log is never compacted
  public static IntervalLog open(Path folder, long compactBytesMin) throws IOException {
    IntervalLog opened = new IntervalLog(folder, compactBytesMin);
    opened.read();
    return opened;
  }

  private synchronized void read() throws IOException {
    Files.createDirectories(folder);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Matcher name = FILE.matcher(file.getFileName().toString());
        if (name.matches()) {
          older.put(Long.parseLong(name.group(1)), file);
        }
      }
    }
    for (Path file : older.values()) {
      replay(file);
    }
    tokens.clear();
    number = older.isEmpty() ? 0 : older.lastKey();
  }

  private void replay(Path file) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    List<LogFrame> frames = LogFrame.read(content);
    if (content.hasRemaining()) {
      tornTails.increment();
      LOG.warn("{}: the last {} bytes are an incomplete record", file, content.remaining());
    }
    if (frames.stream().anyMatch(frame -> frame.kind() == LogFrame.Kind.COMPLETE)) {
      open.clear();
    }
    for (LogFrame frame : frames) {
      switch (frame.kind()) {
        case TOKEN, TOKEN_WITHOUT_RECEIPTS, CHANGES -> take(file, frame);
        case CLOSED -> open.close(frame.identity());
        case COMPLETE -> {}
      }
    }
  }

  private void take(Path file, LogFrame frame) {
    try {
      if (frame.kind() != LogFrame.Kind.CHANGES) {
        SignedSessionToken token = SignedSessionToken.parseFrom(frame.body());
        boolean receipts = frame.kind() == LogFrame.Kind.TOKEN;
        tokens.put(
            SessionToken.parseFrom(token.getToken()).getTokenId(), new Shown(token, receipts));
        return;
      }
      UsageReport report = UsageReport.parseFrom(frame.body());
      Shown shown = tokens.getOrDefault(report.getTokenId(), Shown.NONE);
      open.take(new IntervalUsage(report, shown.token(), shown.receipts()));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // The checksum is correct, so another version has written the record.
      LOG.error("{}: a record is not a report of this version: {}", file, e.getMessage());
    }
  }

  /// Makes a spooled report of each interval that an earlier start left open, and starts an empty
  /// log.
  ///
  /// @return the number of recovered reports
  public synchronized int recover(ReportSpool spool, ReportSigner signer) throws IOException {
    int recovered = 0;
    for (IntervalUsage usage : open.lastUsages()) {
      for (UsageReport report : ReportParts.of(usage.report())) {
        ReportIdentity identity = ReportIdentity.of(report);
        if (!spool.holds(identity)) {
          spool.add(identity, Receipts.envelope(usage, report, signer));
          recovered++;
        }
      }
    }
    open.clear();
    begin();
    force();
    return recovered;
  }

  /// Appends the changes of open intervals. Never waits for the disk.
  public synchronized void append(List<IntervalUsage> changes) throws IOException {
    List<LogFrame> frames = new ArrayList<>(changes.size());
    for (IntervalUsage usage : changes) {
      if (open.take(usage)) {
        frames.add(LogFrame.token(usage.token(), usage.receipts()));
      }
      frames.add(LogFrame.changes(usage.report()));
    }
    write(frames);
  }

  /// Marks an interval as closed, because its report is in the spool.
  public synchronized void closed(ReportIdentity identity) throws IOException {
    open.close(identity);
    write(List.of(LogFrame.closed(identity)));
  }

  private void write(List<LogFrame> frames) throws IOException {
    FileChannel to = channel;
    if (to == null || bytes > Math.max(compactBytesMin, GROWTH * open.bytes())) {
      begin(); // the new file has all open intervals, so it includes these frames
      return;
    }
    durable = false;
    try {
      bytes += write(to, frames);
    } catch (IOException e) {
      abandon();
      throw e;
    }
  }

  private static long write(FileChannel to, List<LogFrame> frames) throws IOException {
    ByteBuffer buffer =
        ByteBuffer.allocate(Math.toIntExact(frames.stream().mapToLong(LogFrame::bytes).sum()));
    frames.forEach(frame -> frame.writeTo(buffer));
    buffer.flip();
    long written = buffer.remaining();
    while (buffer.hasRemaining()) {
      to.write(buffer);
    }
    return written;
  }

  /// Starts a new file with all open intervals.
  private void begin() throws IOException {
    if (channel != null) {
      compactions.increment();
      abandon();
    }
    Path file = folder.resolve(++number + ".log");
    older.put(number, file);
    durable = false;
    FileChannel fresh =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      bytes = writeOpen(fresh);
      channel = fresh;
    } finally {
      if (channel == null) {
        fresh.close();
        Files.deleteIfExists(file);
        older.remove(number);
      }
    }
  }

  private long writeOpen(FileChannel to) throws IOException {
    long written = 0;
    List<LogFrame> frames = new ArrayList<>();
    for (IntervalUsage usage : open.usages()) {
      if (!usage.token().getToken().isEmpty()) {
        frames.add(LogFrame.token(usage.token(), usage.receipts()));
      }
      frames.add(LogFrame.changes(usage.report()));
      if (frames.size() >= FRAMES_PER_WRITE) {
        written += write(to, frames);
        frames.clear();
      }
    }
    frames.add(LogFrame.complete());
    return written + write(to, frames);
  }

  private void abandon() throws IOException {
    FileChannel old = channel;
    channel = null;
    if (old != null) {
      old.close();
    }
  }

  /// Makes the appended records durable, and deletes older files that are no longer needed. Waits
  /// for the disk without the lock. Only the reporting thread calls it.
  public void force() throws IOException {
    Path file;
    synchronized (this) {
      if (durable) {
        return;
      }
      if (channel == null) {
        begin();
      }
      durable = true;
      file = folder.resolve(number + ".log");
    }
    try {
      // Uses its own descriptor, because the log may start another file meanwhile.
      DurableFile.synchronise(file);
      DurableFile.synchronise(folder);
      deleteBefore(file);
    } catch (IOException e) {
      synchronized (this) {
        durable = false;
      }
      throw e;
    }
  }

  private void deleteBefore(Path file) throws IOException {
    List<Path> superfluous;
    synchronized (this) {
      superfluous = older.values().stream().takeWhile(one -> !one.equals(file)).toList();
    }
    for (Path one : superfluous) {
      Files.deleteIfExists(one);
    }
    synchronized (this) {
      older.values().removeAll(superfluous);
    }
  }

  /// Returns the number of open intervals.
  public synchronized int size() {
    return open.size();
  }

  /// Returns the size of the newest file, in bytes.
  public synchronized long bytes() {
    return bytes;
  }

  /// Returns the number of files that ended with an incomplete record; any thread may call this.
  public LongAdder tornTails() {
    return tornTails;
  }

  /// Returns the number of compactions; any thread may call this.
  public LongAdder compactions() {
    return compactions;
  }

  /// Closes the file.
  public synchronized void close() throws IOException {
    abandon();
  }
}
