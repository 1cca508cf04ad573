package io.viaduct.bridge.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
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
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads billing's verdicts from all partitions of their topic, from the end, and passes them to
/// the streams of their SNAPTs (ADR 0051). It has no consumer group: every bridge reads all.
final class VerdictReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VerdictReader.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofMillis(500);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  /// Polls between two looks at the number of partitions.
  private static final int POLLS_PER_LOOK = 120;

  private final String topic;
  private final Map<String, Object> properties;
  private final ReportStreams streams;
  private final QueueMeters meters;
  private final Runnable listening;
  private final Set<TopicPartition> assigned = new HashSet<>(); // of the thread
  private final Thread thread = Thread.ofPlatform().daemon().name("verdicts").unstarted(this::run);
  private volatile boolean isListening;
  private volatile boolean closed;

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
    properties = new HashMap<>(connection);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // Records that expired before they were read are lost to this bridge: the SNAPTs ask again.
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
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
    reader.thread.start();
    return reader;
  }

  /// Returns whether the reader has seen the end of each partition: every later verdict is passed.
  boolean isListening() {
    return isListening;
  }

  private void run() {
    String last = "";
    while (!closed) {
      try (Consumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        assigned.clear();
        read(consumer);
      } catch (WakeupException | InterruptException _) {
        return;
      } catch (KafkaException | IllegalStateException e) {
        if (!closed && !last.equals(e.toString())) {
          last = e.toString();
          LOG.warn("cannot read verdicts of topic {}, trying again: {}", topic, last);
        }
      }
      pause();
    }
  }

  private void read(Consumer<byte[], byte[]> consumer) {
    for (int polls = 0; !closed; polls++) {
      if (polls % POLLS_PER_LOOK == 0) {
        assign(consumer);
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        pass(record.value());
      }
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

  private void pause() {
    try {
      Thread.sleep(RETRY);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      if (!thread.join(CLOSE_MAX)) {
        LOG.debug("the reader of verdicts has not ended yet");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
