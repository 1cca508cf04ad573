package io.viaduct.billing.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Writes records, and waits until all in-sync replicas have them. Thread-safe.
final class RecordWriter implements AutoCloseable {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final Producer<byte[], byte[]> producer;

  /// @param connection properties of a Kafka client for the connection
  /// @param deadline longest wait for the broker
  RecordWriter(Map<String, Object> connection, Duration deadline) {
    Map<String, Object> properties = new HashMap<>(connection);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0); // a batch is sent as a whole anyway
    int deadlineMs = (int) deadline.toMillis();
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deadlineMs);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, deadlineMs / 2);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, deadlineMs);
    producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /// Writes records in their order.
  ///
  /// @throws KafkaException if the broker does not have all of them; some may be there
  void write(Collection<ProducerRecord<byte[], byte[]>> records) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> record : records) {
      Future<RecordMetadata> one = producer.send(record);
      if (one.isDone()) {
        await(one); // without the broker's metadata each further record would wait for the deadline
      }
      sent.add(one);
    }
    sent.forEach(RecordWriter::await);
  }

  private static void await(Future<RecordMetadata> one) {
    try {
      var unused = one.get();
    } catch (ExecutionException e) {
      throw new KafkaException("the broker did not take a record", e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    producer.close(CLOSE_MAX);
  }
}
