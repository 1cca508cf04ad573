package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
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

/// The intervals that are still open, on disk: an append-only log of the lines that changed, and of
/// the session tokens that authorise them. What was appended survives the death of the process,
/// because the page cache does; what was [synchronised][#force] survives the loss of power. The
/// next start makes each open interval its report.
///
/// The log is compacted into a new file when it has outgrown what is open, so its size follows the
/// open intervals; the older file goes when the new one is durable, and until then both are read in
/// order, which gives the same. After an error of the disk the log begins a new file with all that
/// is open: nothing is forgotten, and nothing follows a record that may be torn.
///
/// Two rules keep one interval from becoming two different reports: a report is offered to the
/// bridge only after the log durably says that its interval is [closed][#closed], and at a start
/// the spool's report of an identity stands against the log's.
///
/// The checkpoint thread appends, the reporting thread closes and synchronises; both hold the lock
/// for a write into the page cache and never for a wait for the disk.
public final class IntervalLog {
  private static final Logger log = LoggerFactory.getLogger(IntervalLog.class);
  private static final Pattern FILE = Pattern.compile("(\\d{1,18})\\.log");
  private static final long GROWTH = 4;
  private static final int FRAMES_PER_WRITE = 256;

  private final Path folder;
  private final long compactBytesMin;
  private final LongAdder tornTails = new LongAdder();
  private final LongAdder compactions = new LongAdder();

  // Under the lock.
  private final OpenIntervals open = new OpenIntervals();
  private final TreeMap<Long, Path> older = new TreeMap<>();
  // While files are read: by token id.
  private final Map<String, SignedSessionToken> tokens = new HashMap<>();
  private @Nullable FileChannel channel;
  private long number;
  private long bytes;
  private boolean durable = true;

  private IntervalLog(Path folder, long compactBytesMin) {
    this.folder = folder;
    this.compactBytesMin = compactBytesMin;
  }

  /// Reads what an earlier start left; follow with [#recover].
  ///
  /// @param compactBytesMin a log below this is never compacted
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
      log.warn("{}: the last {} bytes are no whole record", file, content.remaining());
    }
    if (frames.stream().anyMatch(frame -> frame.kind() == LogFrame.Kind.COMPLETE)) {
      open.clear();
    }
    for (LogFrame frame : frames) {
      switch (frame.kind()) {
        case TOKEN, CHANGES -> take(file, frame);
        case CLOSED -> open.close(frame.identity());
        case COMPLETE -> {}
      }
    }
  }

  private void take(Path file, LogFrame frame) {
    try {
      if (frame.kind() == LogFrame.Kind.TOKEN) {
        SignedSessionToken token = SignedSessionToken.parseFrom(frame.body());
        tokens.put(SessionToken.parseFrom(token.getToken()).getTokenId(), token);
        return;
      }
      UsageReport report = UsageReport.parseFrom(frame.body());
      open.take(
          report,
          tokens.getOrDefault(report.getTokenId(), SignedSessionToken.getDefaultInstance()));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // Its checksum is right: another version wrote it.
      log.error("{}: a record is no report of this version: {}", file, e.getMessage());
    }
  }

  /// Turns what an earlier start left into reports of the spool, and begins an empty log.
  ///
  /// @return how many reports were recovered
  public synchronized int recover(ReportSpool spool, ReportSigner signer) throws IOException {
    int recovered = 0;
    for (IntervalUsage usage : open.lastUsages()) {
      for (UsageReport report : ReportParts.of(usage.report())) {
        ReportIdentity identity = ReportIdentity.of(report);
        if (!spool.holds(identity)) {
          spool.add(identity, signer.sign(report, usage.token()));
          recovered++;
        }
      }
    }
    open.clear();
    begin();
    force();
    return recovered;
  }

  /// Keeps what has changed in open intervals. Never waits for the disk.
  public synchronized void append(List<IntervalUsage> changes) throws IOException {
    List<LogFrame> frames = new ArrayList<>(changes.size());
    for (IntervalUsage usage : changes) {
      if (open.take(usage.report(), usage.token())) {
        frames.add(LogFrame.token(usage.token()));
      }
      frames.add(LogFrame.changes(usage.report()));
    }
    write(frames);
  }

  /// The interval's report is in the spool.
  public synchronized void closed(ReportIdentity identity) throws IOException {
    open.close(identity);
    write(List.of(LogFrame.closed(identity)));
  }

  private void write(List<LogFrame> frames) throws IOException {
    FileChannel to = channel;
    if (to == null || bytes > Math.max(compactBytesMin, GROWTH * open.bytes())) {
      begin(); // with all that is open: these frames too
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

  /// Begins a new file with all that is open.
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
        frames.add(LogFrame.token(usage.token()));
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

  /// Makes durable what was appended, and deletes the files that are superfluous by it. Waits for
  /// the disk, without the lock. The reporting thread alone calls it.
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
      // A descriptor of our own: the log may begin another file meanwhile.
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

  /// Intervals that are open.
  public synchronized int size() {
    return open.size();
  }

  /// Bytes of the newest file.
  public synchronized long bytes() {
    return bytes;
  }

  /// Files that ended in half a record; any thread.
  public LongAdder tornTails() {
    return tornTails;
  }

  /// How often the log was written anew; any thread.
  public LongAdder compactions() {
    return compactions;
  }

  /// Closes the file.
  public synchronized void close() throws IOException {
    abandon();
  }
}
