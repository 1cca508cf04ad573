package io.viaduct.service.broker;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads topics of a broker on a thread of its own. A consumer that fails is closed, and after a
/// pause a new one begins. A failure that repeats is logged once.
public final class ConsumerLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ConsumerLoop.class);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /// The work with a consumer. All methods run on the thread of the loop.
  public interface Work {
    /// Prepares a new consumer.
    ///
    /// @throws IllegalStateException if there is nothing to read yet; the loop tries again
    void begin(Consumer<byte[], byte[]> consumer);

    /// Polls once, for a second at most, and works off the records.
    void step(Consumer<byte[], byte[]> consumer);

    /// Is told after a failure.
    default void failed() {}

    /// Is told after the end of each consumer.
    default void ended() {}
  }

  private final String reading;
  private final Map<String, Object> properties;
  private final Work work;
  private final Thread thread;
  private volatile boolean closed;

  /// @param name name of the thread
  /// @param reading words for the log, such as "verdicts of topic x"
  /// @param properties properties of a Kafka consumer, without deserializers
  public ConsumerLoop(String name, String reading, Map<String, Object> properties, Work work) {
    this.reading = reading;
    this.properties = Map.copyOf(properties);
    this.work = work;
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  /// Starts to read.
  public void start() {
    thread.start();
  }

  private void run() {
    String last = "";
    while (!closed) {
      try (Consumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        work.begin(consumer);
        while (!closed) {
          work.step(consumer);
          last = "";
        }
      } catch (InterruptException _) {
        return;
      } catch (KafkaException | IllegalStateException e) {
        work.failed();
        if (!closed && !last.equals(e.toString())) {
          last = e.toString();
          LOG.warn("cannot read {}, trying again: {}", reading, last);
        }
      } finally {
        work.ended();
      }
      pause();
    }
  }

  /// Waits a moment before a step is tried again. An interruption ends the loop.
  public void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException _) {
      closed = true;
    }
  }

  /// Ends the loop after the present step. Interrupts a step that takes longer.
  ///
  /// @return false if the step was interrupted
  public boolean close(Duration most) {
    closed = true;
    try {
      if (thread.join(most)) {
        return true;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
    return false;
  }
}
