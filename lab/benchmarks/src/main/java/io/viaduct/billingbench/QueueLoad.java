package io.viaduct.billingbench;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Writes reports to a topic as a bridge does, keyed by account, and reads billing's verdicts.
final class QueueLoad implements ReportLoad, AutoCloseable {
  private static final Duration SILENCE_MAX = Duration.ofMinutes(2);

  private final String topic;
  private final Producer<byte[], byte[]> producer;
  private final Consumer<byte[], byte[]> verdicts;

  /// @param broker HOST:PORT
  /// @param topic of reports
  /// @param verdicts topic of verdicts; those of before are not read
  QueueLoad(String broker, String topic, String verdicts) {
    this.topic = topic;
    // As the bridge's QueueForwarder, but a full buffer makes the load wait: no report is deferred.
    producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                broker,
                "acks",
                "all",
                "enable.idempotence",
                true,
                "linger.ms",
                5,
                "max.request.size",
                2 << 20),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    this.verdicts =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker, "enable.auto.commit", false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        this.verdicts.partitionsFor(verdicts).stream()
            .map(each -> new TopicPartition(verdicts, each.partition()))
            .toList();
    this.verdicts.assign(partitions);
    this.verdicts.seekToEnd(partitions);
    partitions.forEach(this.verdicts::position); // waits until the end is known
  }

  @Override
  public double run(List<SubmitRequest> requests) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    Set<String> waiting = new HashSet<>();
    for (SubmitRequest request : requests) {
      for (SignedUsageReport signed : request.getReportsList()) {
        UsageReport report = UsageReport.parseFrom(signed.getReport());
        waiting.add(key(report.getSessionId(), report.getSequence()));
        records.add(
            new ProducerRecord<>(
                topic,
                report.getAccount().getBytes(StandardCharsets.UTF_8),
                QueuedReport.newBuilder()
                    .setReport(signed)
                    .setReceivedMs(request.getReceivedMs())
                    .addAllTokenKeys(request.getTokenKeysList())
                    .build()
                    .toByteArray()));
      }
    }
    long beginNs = System.nanoTime();
    try (ExecutorService writer = Executors.newSingleThreadExecutor()) {
      Future<?> written = writer.submit(() -> write(records));
      await(waiting);
      written.get();
    }
    return (System.nanoTime() - beginNs) / 1e9;
  }

  private Void write(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
    List<Future<?>> sent = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> record : records) {
      sent.add(producer.send(record));
    }
    for (Future<?> each : sent) {
      each.get();
    }
    return null;
  }

  // A crash of billing may repeat a verdict as ALREADY_POSTED; here it does not crash.
  private void await(Set<String> waiting) throws InvalidProtocolBufferException {
    long silentNs = System.nanoTime();
    while (!waiting.isEmpty()) {
      for (ConsumerRecord<byte[], byte[]> record : verdicts.poll(Duration.ofMillis(50))) {
        ReportAck ack = ReportAck.parseFrom(record.value());
        if (ack.getVerdict() != ReportVerdict.POSTED) {
          throw new IllegalStateException("a report was not posted: " + ack);
        }
        waiting.remove(key(ack.getSessionId(), ack.getSequence()));
        silentNs = System.nanoTime();
      }
      if (System.nanoTime() - silentNs > SILENCE_MAX.toNanos()) {
        throw new IllegalStateException(waiting.size() + " reports have no verdict");
      }
    }
  }

  private static String key(String session, long sequence) {
    return session + "/" + sequence;
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    verdicts.close();
  }
}
