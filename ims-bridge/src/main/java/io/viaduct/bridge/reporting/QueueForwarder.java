package io.viaduct.bridge.reporting;

import io.viaduct.bridge.configuration.KafkaSettings;
import io.viaduct.bridge.reporting.QueueMeters.Deferral;
import io.viaduct.service.operations.Readiness;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.TokenKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes verified reports to a topic of Apache Kafka, keyed by account (ADR 0051). A report is
/// acknowledged as queued when all in-sync replicas have it. If the broker does not take it, it is
/// deferred: its SNAPT keeps it and sends it again.
public final class QueueForwarder implements ReportTransport {
  private static final Logger LOG = LoggerFactory.getLogger(QueueForwarder.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final int REQUEST_BYTES_MAX = 2 << 20; // above the longest report
  private static final String PART = "broker";

  private final KafkaSettings limits;
  private final Producer<byte[], byte[]> producer;
  private final VerdictReader verdicts;
  private final QueueMeters meters;
  private final Readiness readiness;
  private final Supplier<List<TokenKey>> tokenKeys;
  private final InstantSource clock;
  private final Semaphore places;
  private final AtomicBoolean away = new AtomicBoolean();
  private volatile boolean closed;

  /// @param connection properties of a Kafka client for the connection
  /// @param tokenKeys public keys sent with each report, because billing checks the tokens again
  public QueueForwarder(
      KafkaSettings limits,
      Map<String, Object> connection,
      ReportStreams streams,
      QueueMeters meters,
      Readiness readiness,
      Supplier<List<TokenKey>> tokenKeys,
      InstantSource clock) {
    this.limits = limits;
    this.meters = meters;
    this.readiness = readiness;
    this.tokenKeys = tokenKeys;
    this.clock = clock;
    this.places = new Semaphore(limits.inFlight());
    readiness.obstructed(PART, limits.broker() + ": not reached yet");
    producer =
        new KafkaProducer<>(
            properties(limits, connection), new ByteArraySerializer(), new ByteArraySerializer());
    verdicts =
        VerdictReader.start(
            limits.verdicts(), connection, streams, meters, () -> readiness.cleared(PART));
  }

  private static Map<String, Object> properties(
      KafkaSettings limits, Map<String, Object> connection) {
    Map<String, Object> all = new HashMap<>(connection);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, limits.bufferBytes());
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES_MAX);
    int deadlineMs = (int) limits.deadline().toMillis();
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deadlineMs);
    all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, deadlineMs / 2);
    all.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    // The caller is a thread of gRPC and must not block: without metadata or memory a report is
    // deferred at once. So the metadata of a topic without reports is kept too.
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    all.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, Duration.ofDays(20).toMillis());
    return all;
  }

  @Override
  public int queued() {
    return limits.inFlight() - places.availablePermits();
  }

  @Override
  public int queuedMax() {
    return limits.inFlight();
  }

  @Override
  public void submit(PendingReport pending) {
    if (closed) {
      defer(pending, Deferral.STOPPING, "bridge is stopping");
    } else if (!verdicts.isListening()) {
      defer(pending, Deferral.STARTING, "the bridge does not read verdicts yet");
    } else if (!places.tryAcquire()) {
      defer(pending, Deferral.IN_FLIGHT, "too many reports wait for the broker");
    } else {
      send(pending);
    }
  }

  private void send(PendingReport pending) {
    QueuedReport queued =
        QueuedReport.newBuilder()
            .setReport(pending.signed())
            .setReceivedMs(clock.millis())
            .addAllTokenKeys(tokenKeys.get())
            .build();
    byte[] account = pending.report().getAccount().getBytes(StandardCharsets.UTF_8);
    AtomicBoolean answered = new AtomicBoolean(); // the client may both call back and throw
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(limits.reports(), account, queued.toByteArray()),
              (_, failure) -> answer(pending, answered, failure));
    } catch (RuntimeException e) {
      answer(pending, answered, e);
    }
  }

  private void answer(PendingReport pending, AtomicBoolean answered, @Nullable Exception failure) {
    if (!answered.compareAndSet(false, true)) {
      return;
    }
    places.release();
    if (failure == null) {
      reached();
      pending.queued();
    } else if (failure instanceof BufferExhaustedException) {
      defer(pending, Deferral.BUFFER, "too many bytes wait for the broker");
    } else {
      lost(failure);
      defer(pending, Deferral.BROKER, "the broker did not take it");
    }
  }

  private void defer(PendingReport pending, Deferral why, String reason) {
    meters.deferred(why);
    pending.defer(reason);
  }

  private void reached() {
    if (away.compareAndSet(true, false)) {
      LOG.info("the broker at {} takes reports again", limits.broker());
      readiness.cleared(PART);
    }
  }

  private void lost(Exception failure) {
    if (!closed && away.compareAndSet(false, true)) {
      LOG.warn(
          "the broker at {} does not take reports, they are deferred: {}",
          limits.broker(),
          failure.toString());
      readiness.obstructed(PART, limits.broker() + ": " + failure.getMessage());
    }
  }

  /// Waits a moment for the broker's acknowledgements; the rest is deferred.
  @Override
  public void close() {
    closed = true;
    producer.close(CLOSE_MAX);
    verdicts.close();
  }
}
