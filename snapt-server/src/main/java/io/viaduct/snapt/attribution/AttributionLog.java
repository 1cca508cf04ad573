package io.viaduct.snapt.attribution;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.viaduct.host.netlink.AddressMapping;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records the pool address of each session, and the public address and port of each of its
/// connections (docs/adr/0026). Writes one text file per hour. Each file begins with the open
/// sessions, so that it can be read alone. Deletes files older than the retention time, and the
/// oldest files when all together exceed the limit. Blocks on the disk, so event loops must not
/// call it.
public final class AttributionLog implements AutoCloseable {
  static final String SUFFIX = ".log";
  private static final Logger LOG = LoggerFactory.getLogger(AttributionLog.class);
  private static final long HOUR_MS = 3_600_000;
  private static final long FLUSH_MS = 1_000;

  private final Path folder;
  private final AddressPool pool;
  private final Duration retention;
  private final long bytesMax;
  private final InstantSource clock;
  private final Map<UUID, String> open = new LinkedHashMap<>();
  private final LongAdder records = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private @Nullable BufferedWriter writer;
  private long hour = -1;
  private long flushedMs;

  /// @param folder directory of the files; only the SNAPT's user may read it
  /// @param retention age after which a file is deleted
  /// @param bytesMax limit of all files together
  public AttributionLog(
      Path folder, AddressPool pool, Duration retention, long bytesMax, InstantSource clock)
      throws IOException {
    this.folder = Files.createDirectories(folder);
    this.pool = pool;
    this.retention = retention;
    this.bytesMax = bytesMax;
    this.clock = clock;
    write("R " + clock.millis()); // the sessions of the previous process have ended
    flush();
  }

  /// Records the start of a session and its pool addresses.
  public synchronized void begins(Session session) {
    String who =
        "%s %s %s %s %s"
            .formatted(
                session.address().ipv4Text(),
                session.address().ipv6Text(),
                encoded(session.token().getAccount()),
                session.id(),
                encoded(session.token().getTokenId()));
    write("S " + clock.millis() + " " + who);
    open.put(session.id(), who);
    flush();
  }

  /// Records the end of a session.
  public synchronized void ends(Session session) {
    String who = open.remove(session.id());
    if (who != null) {
      write("E " + clock.millis() + " " + who);
      flush();
    }
  }

  /// Records the start or end of a connection of a pool address. Ignores all other connections.
  public synchronized void mapped(AddressMapping mapping) {
    if (!ofPool(mapping.inside())) {
      return;
    }
    write(
        "%s %d %d %s %d %s %d %s"
            .formatted(
                mapping.isNew() ? "N" : "D",
                clock.millis(),
                mapping.protocol(),
                mapping.outside().getHostAddress(),
                mapping.outsidePort(),
                mapping.remote().getHostAddress(),
                mapping.remotePort(),
                mapping.inside().getHostAddress()));
  }

  private boolean ofPool(InetAddress address) {
    Prefix host = Prefix.host(address);
    Prefix of = host.ipv6() ? pool.ipv6() : pool.ipv4();
    return of.contains(host.high(), host.low());
  }

  private static String encoded(String text) {
    return text.isEmpty() ? "-" : URLEncoder.encode(text, UTF_8);
  }

  /// Flushes the records to the file, at most once a second.
  public synchronized void tick() {
    long nowMs = clock.millis();
    if (nowMs - flushedMs >= FLUSH_MS) {
      flushedMs = nowMs;
      flush();
    }
  }

  private synchronized void write(String line) {
    try {
      long nowHour = clock.millis() / HOUR_MS;
      BufferedWriter to = writer;
      if (to == null || nowHour != hour) {
        to = begin(nowHour);
      }
      to.write(line);
      to.write('\n');
      records.increment();
    } catch (IOException e) {
      if (lost.sum() == 0) {
        LOG.error(
            "{}: public addresses are not recorded: {}", folder, String.valueOf(e.getMessage()));
      }
      lost.increment();
    }
  }

  private BufferedWriter begin(long nowHour) throws IOException {
    closeWriter();
    remove(nowHour);
    Path file = folder.resolve(nowHour * HOUR_MS + SUFFIX);
    BufferedWriter made =
        Files.newBufferedWriter(file, UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    for (String who : open.values()) {
      made.write("S " + clock.millis() + " " + who + "\n");
    }
    writer = made;
    hour = nowHour;
    return made;
  }

  private void remove(long nowHour) throws IOException {
    long bytes = 0;
    for (Path file : files(folder).reversed()) {
      bytes += Files.size(file);
      boolean old = startMs(file) + HOUR_MS < nowHour * HOUR_MS - retention.toMillis();
      if (old || bytes > bytesMax) {
        Files.delete(file);
        if (!old) {
          LOG.warn(
              "{} is removed before its retention time: attribution.bytes-max is {}",
              Instant.ofEpochMilli(startMs(file)),
              bytesMax);
        }
      }
    }
  }

  /// Returns the record files of a directory, the oldest first.
  static List<Path> files(Path folder) throws IOException {
    try (var all = Files.list(folder)) {
      return all.filter(file -> file.getFileName().toString().matches("\\d{1,16}\\.log"))
          .sorted((a, b) -> Long.compare(startMs(a), startMs(b)))
          .toList();
    }
  }

  static long startMs(Path file) {
    String name = file.getFileName().toString();
    return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
  }

  private synchronized void flush() {
    try {
      if (writer != null) {
        writer.flush();
      }
    } catch (IOException e) {
      lost.increment();
      LOG.warn("{}: {}", folder, String.valueOf(e.getMessage()));
    }
  }

  private void closeWriter() throws IOException {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }

  /// Returns the number of lines written since the start.
  public long records() {
    return records.sum();
  }

  /// Returns the number of lines that could not be written.
  public long lost() {
    return lost.sum();
  }

  @Override
  public synchronized void close() {
    try {
      closeWriter();
    } catch (IOException e) {
      LOG.warn("{}: {}", folder, String.valueOf(e.getMessage()));
    }
  }
}
