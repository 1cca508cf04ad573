package io.viaduct.bridge.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.broker.ConsumerLoop;
import io.viaduct.usage.v1.ReportAck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads billing's verdicts from all partitions of their topic, from the end, and passes them to
/// the streams of their SNAPTs (ADR 0051). It has no consumer group: every bridge reads all.
final class VerdictReader implements ConsumerLoop.Work, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VerdictReader.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  /// Polls between two looks at the number of partitions.
  private static final int POLLS_PER_LOOK = 120;

  private final String topic;
  private final ReportStreams streams;
  private final QueueMeters meters;
  private final Runnable listening;
  private final Set<TopicPartition> assigned = new HashSet<>(); // of the thread
  private int polls; // of the thread
  private final ConsumerLoop loop;
  private volatile boolean isListening;

  private VerdictReader(
      String topic,
      Map<String, Object> connection,
      ReportStreams streams,
      QueueMeters meters,
      Runnable listening) {
    this.topic = topic;
    this.streams = streams;
    this.meters = meters;
    this.listening = listening;
    Map<String, Object> properties = new HashMap<>(connection);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // Records that expired before they were read are lost to this bridge: the SNAPTs ask again.
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
    loop = new ConsumerLoop("verdicts", "verdicts of topic " + topic, properties, this);
  }

  /// Starts to read.
  ///
  /// @param listening run when the position in every partition is known
  static VerdictReader start(
      String topic,
      Map<String, Object> connection,
      ReportStreams streams,
      QueueMeters meters,
      Runnable listening) {
    VerdictReader reader = new VerdictReader(topic, connection, streams, meters, listening);
    reader.loop.start();
    return reader;
  }

  /// Returns whether the reader has seen the end of each partition: every later verdict is passed.
  boolean isListening() {
    return isListening;
  }

  @Override
  public void begin(Consumer<byte[], byte[]> consumer) {
    assigned.clear();
    polls = 0;
  }

  @Override
  public void step(Consumer<byte[], byte[]> consumer) {
    if (polls++ % POLLS_PER_LOOK == 0) {
      assign(consumer);
    }
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      pass(record.value());
    }
  }

  private void assign(Consumer<byte[], byte[]> consumer) {
    List<PartitionInfo> partitions = consumer.partitionsFor(topic);
    if (partitions == null || partitions.isEmpty()) {
      throw new IllegalStateException("there is no topic " + topic);
    }
    List<TopicPartition> all = new ArrayList<>();
    partitions.forEach(each -> all.add(new TopicPartition(topic, each.partition())));
    if (assigned.containsAll(all)) {
      return;
    }
    consumer.assign(all);
    List<TopicPartition> added = all.stream().filter(each -> !assigned.contains(each)).toList();
    if (isListening && !assigned.isEmpty()) {
      consumer.seekToBeginning(added); // a partition that was added since has only new verdicts
    } else {
      consumer.seekToEnd(added);
    }
    added.forEach(consumer::position); // waits until the positions are known
    assigned.addAll(all);
    if (!isListening) {
      isListening = true;
      LOG.info("verdicts are read from topic {}", topic);
      listening.run();
    }
  }

  private void pass(byte @Nullable [] value) {
    Optional<ReportAck> verdict = parse(value);
    if (verdict.isPresent()) {
      streams.pass(verdict.get());
    } else {
      meters.verdict(QueueMeters.Verdict.MALFORMED);
    }
  }

  /// Returns the verdict of a record, or empty if it is none of billing's.
  static Optional<ReportAck> parse(byte @Nullable [] value) {
    try {
      return Optional.ofNullable(value == null ? null : ReportAck.parseFrom(value))
          .filter(MediationForwarder::isVerdict);
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    if (!loop.close(CLOSE_MAX)) {
      LOG.debug("the reader of verdicts has not ended yet");
    }
  }
}
