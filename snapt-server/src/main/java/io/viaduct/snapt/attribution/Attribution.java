package io.viaduct.snapt.attribution;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.netlink.ConntrackMonitor;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.napt.AddressPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes sessions and connections into an [AttributionLog]. The start and end of connections come
/// from the kernel's connection tracking. If the retention time is zero, nothing is recorded.
public final class Attribution implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Attribution.class);

  private final @Nullable AttributionLog records;
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("attribution"));
  private volatile @Nullable ConntrackMonitor conntrack;

  /// Opens the records.
  ///
  /// @param folder directory of the records, in the SNAPT's state directory
  /// @param retention age after which records are deleted; zero means that nothing is recorded
  /// @param bytesMax limit of all files together
  /// @throws IOException if the folder cannot be used
  public Attribution(
      Path folder, AddressPool pool, Duration retention, long bytesMax, InstantSource clock)
      throws IOException {
    records =
        retention.isZero() ? null : new AttributionLog(folder, pool, retention, bytesMax, clock);
  }

  /// Returns a carrier whose sessions are recorded.
  public SessionCarrier of(SessionCarrier carrier) {
    return records == null ? carrier : new AttributedCarrier(carrier, records, disk);
  }

  /// Starts to record connections.
  ///
  /// @param masquerading false if the pool's addresses are visible on the Internet; the records of
  ///   sessions are then sufficient
  public void listen(boolean masquerading) {
    AttributionLog to = records;
    if (to == null || !masquerading) {
      return;
    }
    try {
      conntrack = ConntrackMonitor.start(to::mapped, to::tick);
    } catch (IOException e) {
      LOG.error(
          "public addresses and ports are not recorded: {}: set attribution.retention to 0s if that"
              + " is meant",
          String.valueOf(e.getMessage()));
    }
  }

  /// Returns the number of records since the start; any thread may call this.
  public long records() {
    return records == null ? 0 : records.records();
  }

  /// Returns the number of records that could not be written, plus the number of times that the
  /// kernel dropped events. Any thread may call this.
  public long lost() {
    ConntrackMonitor heard = conntrack;
    return (records == null ? 0 : records.lost()) + (heard == null ? 0 : heard.overruns());
  }

  @Override
  public void close() {
    disk.close();
    ConntrackMonitor heard = conntrack;
    if (heard != null) {
      heard.close();
    }
    if (records != null) {
      records.close();
    }
  }
}
