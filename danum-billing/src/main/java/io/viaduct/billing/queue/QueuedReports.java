package io.viaduct.billing.queue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.ReportIntake;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Posts the reports of a batch of records. A record that is no report is counted and passed over,
/// so that it never holds up its partition.
final class QueuedReports {
  private static final Logger LOG = LoggerFactory.getLogger(QueuedReports.class);

  /// Longest record: gRPC's limit of a report, and its keys.
  private static final int BYTES_MAX = 2 << 20;

  /// Most time by which the bridge's clock may be ahead of ours. Above it one of the two is wrong.
  private static final Duration AHEAD_MAX = Duration.ofMinutes(5);

  private static final String CLOCKS_DIFFER =
      "the clocks of billing and a bridge differ: keep the report and send it again";

  private final ReportIntake intake;
  private final InstantSource clock;
  private final BridgeClocks clocks;
  private final QueueMeters meters;

  QueuedReports(ReportIntake intake, InstantSource clock, BridgeClocks clocks, QueueMeters meters) {
    this.intake = intake;
    this.clock = clock;
    this.clocks = clocks;
    this.meters = meters;
  }

  /// Posts the reports.
  ///
  /// @return the verdicts on the reports, in order; they are committed
  /// @throws DataAccessException if the database is not available
  /// @throws TransactionException likewise
  List<ReportAck> take(Iterable<ConsumerRecord<byte[], byte[]>> records) {
    List<QueuedReport> reports = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      read(record).ifPresent(reports::add);
    }
    List<ReportAck> verdicts;
    try {
      verdicts = take(reports);
    } catch (DataAccessException | TransactionException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.error("a batch of {} queued reports failed, taking them one by one", reports.size(), e);
      verdicts = reports.stream().map(this::takeAlone).toList();
    }
    verdicts.forEach(_ -> meters.record(QueueMeters.Outcome.TAKEN));
    return verdicts;
  }

  private List<ReportAck> take(List<QueuedReport> reports) {
    if (!clocks.areAllTrusted()) {
      return reports.stream().map(each -> deferred(each, CLOCKS_DIFFER)).toList();
    }
    Instant latest = clock.instant().plus(AHEAD_MAX);
    List<QueuedReport> taken =
        reports.stream().filter(each -> !receivedAt(each).isAfter(latest)).toList();
    Iterator<ReportAck> verdicts = post(taken).iterator();
    return reports.stream()
        .map(each ->
            receivedAt(each).isAfter(latest) ? deferred(each, CLOCKS_DIFFER) : verdicts.next())
        .toList();
  }

  private List<ReportAck> post(List<QueuedReport> reports) {
    return reports.isEmpty()
        ? List.of()
        : intake.take(
            reports.stream()
                .map(each -> new ReportIntake.Arrived(each.getReport(), receivedAt(each)))
                .toList(),
            reports.stream().map(QueuedReport::getTokenKeysList).collect(Collectors.toSet()));
  }

  // A report that is wrong in a way that nobody thought of must not hold up the others.
  private ReportAck takeAlone(QueuedReport report) {
    try {
      return take(List.of(report)).getFirst();
    } catch (DataAccessException | TransactionException e) {
      throw e;
    } catch (RuntimeException e) {
      meters.record(QueueMeters.Outcome.FAILED);
      LOG.error("a queued report failed and is deferred", e);
      return deferred(report, "billing failed on it: see its log");
    }
  }

  private static ReportAck deferred(QueuedReport queued, String why) {
    UsageReport report;
    try {
      report = UsageReport.parseFrom(queued.getReport().getReport());
    } catch (InvalidProtocolBufferException _) {
      report = UsageReport.getDefaultInstance();
    }
    return ReportAck.newBuilder()
        .setSnaptId(report.getSnaptId())
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(ReportVerdict.DEFERRED)
        .setReason(why)
        .build();
  }

  // The time at the bridge counts, however long the record has waited: a report that came in time
  // is not late because billing was away.
  private static Instant receivedAt(QueuedReport queued) {
    return Instant.ofEpochMilli(Math.clamp(queued.getReceivedMs(), 0, 1L << 50));
  }

  private Optional<QueuedReport> read(ConsumerRecord<byte[], byte[]> record) {
    return switch (parse(record.value())) {
      case Content.Report(QueuedReport queued) -> Optional.of(queued);
      case Content.None(QueueMeters.Outcome why) -> {
        meters.record(why);
        LOG.warn(
            "record {} of {}-{} is no report and is passed over: {}",
            record.offset(),
            record.topic(),
            record.partition(),
            why);
        yield Optional.empty();
      }
    };
  }

  /// The content of a record.
  sealed interface Content {
    record Report(QueuedReport queued) implements Content {}

    record None(QueueMeters.Outcome why) implements Content {}
  }

  static Content parse(byte @Nullable [] value) {
    if (value == null) {
      return new Content.None(QueueMeters.Outcome.EMPTY);
    }
    if (value.length > BYTES_MAX) {
      return new Content.None(QueueMeters.Outcome.TOO_LONG);
    }
    try {
      QueuedReport queued = QueuedReport.parseFrom(value);
      return queued.hasReport()
          ? new Content.Report(queued)
          : new Content.None(QueueMeters.Outcome.EMPTY);
    } catch (InvalidProtocolBufferException _) {
      return new Content.None(QueueMeters.Outcome.MALFORMED);
    }
  }
}
