package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.UsageReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reports of the intervals that are still open, as far as they have come: one file, replaced
/// whole twice a second. A SNAPT that dies loses the usage of one second and no more: the next
/// start makes each of them the report of its interval.
///
/// Two rules keep one interval from becoming two different reports: a report is offered to the
/// bridge only after a checkpoint without it was written, and a checkpoint's report is dropped when
/// the spool already holds its identity. One thread, the reporting thread, writes it.
public final class Checkpoint {
  private static final Logger log = LoggerFactory.getLogger(Checkpoint.class);

  private final Path file;
  private List<UsageReport> last = List.of();

  /// @param file replaced at every [#write]
  public Checkpoint(Path file) {
    this.file = file;
  }

  /// Turns what an earlier start left into reports of the spool.
  ///
  /// @return how many reports were recovered
  public int recover(ReportSpool spool, ReportSigner signer) throws IOException {
    int recovered = 0;
    for (UsageReport open : read()) {
      UsageReport report = open.toBuilder().setLast(true).build();
      ReportIdentity identity = ReportIdentity.of(report);
      if (!spool.holds(identity)) {
        spool.add(identity, signer.sign(report));
        recovered++;
      }
    }
    DurableFile.delete(file);
    return recovered;
  }

  private List<UsageReport> read() throws IOException {
    List<UsageReport> reports = new ArrayList<>();
    try {
      var bytes = new ByteArrayInputStream(Files.readAllBytes(file));
      while (bytes.available() > 0) {
        reports.add(UsageReport.parseDelimitedFrom(bytes));
      }
    } catch (NoSuchFileException _) {
      log.debug("no checkpoint: the last stop was clean");
    } catch (InvalidProtocolBufferException e) {
      // Only a damaged disk can do this: the file is replaced whole.
      log.error("{} is damaged after {} reports: {}", file, reports.size(), e.getMessage());
    }
    return reports;
  }

  /// Replaces the checkpoint, if anything has changed since the last one.
  public void write(List<UsageReport> open) throws IOException {
    if (open.equals(last)) {
      return;
    }
    var bytes = new ByteArrayOutputStream();
    for (UsageReport report : open) {
      report.writeDelimitedTo(bytes);
    }
    DurableFile.write(file, bytes.toByteArray());
    last = List.copyOf(open);
  }
}
