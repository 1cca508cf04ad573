package io.viaduct.billing.queue;

import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.service.broker.ConsumerLoop;
import io.viaduct.usage.v1.ReportAck;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the partitions of reports that its group gives it, on one thread, and posts the records of
/// a poll in lanes. A batch of a lane is posted first, then its verdicts are published. When all
/// lanes have ended, the offsets are committed. So a crash at any point repeats batches, and the
/// ledger answers that their reports are posted already.
final class ReportConsumer implements ConsumerLoop.Work, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReportConsumer.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final KafkaSettings settings;
  private final QueuedReports reports;
  private final RecordWriter writer;
  private final QueueMeters meters;
  private final PostingLanes lanes;
  private final ConsumerLoop loop;

  private ReportConsumer(
      KafkaSettings settings,
      Map<String, Object> connection,
      QueuedReports reports,
      RecordWriter writer,
      QueueMeters meters) {
    this.settings = settings;
    this.reports = reports;
    this.writer = writer;
    this.meters = meters;
    lanes =
        new PostingLanes(
            settings.lanes(), settings.batch(), batch -> publish(this.reports.take(batch)));
    Map<String, Object> properties = new HashMap<>(connection);
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.group());
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, settings.lanes() * settings.batch());
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, (int) settings.takeOver().toMillis());
    properties.put(
        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, (int) settings.takeOver().toMillis() / 3);
    // An instance that starts or stops moves only the partitions that it gets or gives.
    properties.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    loop =
        new ConsumerLoop(
            "queued-reports", "queued reports at " + settings.broker(), properties, this);
  }

  /// Starts to read.
  ///
  /// @param connection properties of a Kafka client for the connection
  /// @param writer publishes the verdicts; closed with the consumer
  static ReportConsumer start(
      KafkaSettings settings,
      Map<String, Object> connection,
      QueuedReports reports,
      RecordWriter writer,
      QueueMeters meters) {
    ReportConsumer consumer = new ReportConsumer(settings, connection, reports, writer, meters);
    consumer.loop.start();
    return consumer;
  }

  @Override
  public void begin(Consumer<byte[], byte[]> consumer) {
    consumer.subscribe(List.of(settings.reports()));
  }

  @Override
  public void failed() {
    meters.repeated();
  }

  @Override
  public void ended() {
    meters.partitions.set(0);
  }

  @Override
  public void step(Consumer<byte[], byte[]> consumer) {
    ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
    measure(consumer);
    if (records.isEmpty()) {
      return;
    }
    List<ConsumerRecord<byte[], byte[]>> waiting = lanes.post(records);
    Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(records.nextOffsets());
    for (ConsumerRecord<byte[], byte[]> record : waiting) {
      next.merge(
          new TopicPartition(record.topic(), record.partition()),
          new OffsetAndMetadata(record.offset(), record.leaderEpoch(), ""),
          (one, other) -> one.offset() < other.offset() ? one : other);
    }
    commit(consumer, next);
    if (!waiting.isEmpty()) {
      meters.repeated();
      // Records behind the first waiting one that another lane has posted are read again too.
      next.forEach(consumer::seek);
      loop.pause();
    }
  }

  private static void commit(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, OffsetAndMetadata> next) {
    try {
      consumer.commitSync(next);
    } catch (CommitFailedException | RebalanceInProgressException e) {
      // Another instance reads these partitions, and finds their reports posted.
      LOG.debug("offsets are not committed", e);
    }
  }

  private void publish(List<ReportAck> verdicts) {
    writer.write(
        verdicts.stream()
            .filter(verdict -> !verdict.getSnaptId().isEmpty())
            .map(verdict ->
                new ProducerRecord<>(
                    settings.verdicts(),
                    verdict.getSnaptId().getBytes(StandardCharsets.UTF_8),
                    verdict.toByteArray()))
            .toList());
  }

  private void measure(Consumer<byte[], byte[]> consumer) {
    meters.partitions.set(consumer.assignment().size());
    meters.lag.set(
        consumer.assignment().stream()
            .map(consumer::currentLag)
            .filter(OptionalLong::isPresent)
            .mapToLong(OptionalLong::getAsLong)
            .sum());
  }

  /// Ends after the present batch, and leaves the group, so that others take the partitions at
  /// once.
  @Override
  public void close() {
    if (!loop.close(CLOSE_MAX)) {
      LOG.warn("queued reports are still being posted: they are read again");
    }
    lanes.close();
    writer.close();
  }
}
