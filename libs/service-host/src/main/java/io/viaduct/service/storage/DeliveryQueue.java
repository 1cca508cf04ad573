package io.viaduct.service.storage;

import io.viaduct.service.storage.QueueStatistics.Fate;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers entries at least once: each is on disk before it is sent, and its file is deleted when
/// the receiver has it. Entries are sent in the order of their arrival; one without an answer is
/// sent again, also after a restart. One thread owns the queue, because it waits for the disk. All
/// public methods may be called from any thread.
public final class DeliveryQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryQueue.class);

  /// The receiver's answer to an entry.
  public enum Outcome {
    DELIVERED,
    /// It will never take the entry.
    REFUSED,
    /// There was no answer, or one that says to try again.
    TRY_AGAIN
  }

  /// Sends entries.
  @FunctionalInterface
  public interface Sender {
    /// Sends an entry; called on the queue's thread.
    ///
    /// @param isRepeated true if it may have been sent before
    /// @return completes with the outcome; a failure means [Outcome#TRY_AGAIN]. Empty if the octets
    ///   cannot be read
    Optional<CompletableFuture<Outcome>> send(byte[] entry, boolean isRepeated);
  }

  private final QueueSettings settings;
  private final Sender sender;
  private final FileQueue queue;
  private final QueueStatistics statistics = new QueueStatistics();
  private final ScheduledExecutorService thread;
  private final Set<Long> inFlight = new HashSet<>();
  // Entries that may have been sent before: those of earlier starts, and those without an answer.
  private final Set<Long> sentBefore = new HashSet<>();
  private boolean waits;

  private DeliveryQueue(String name, QueueSettings settings, Sender sender, FileQueue queue) {
    this.settings = settings;
    this.sender = sender;
    this.queue = queue;
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    OptionalLong number = queue.oldest();
    for (; number.isPresent(); number = queue.after(number.getAsLong())) {
      sentBefore.add(number.getAsLong());
    }
    statistics.waiting(queue.size());
  }

  /// Opens a queue and begins to send what it holds.
  ///
  /// @param name name of its thread
  /// @throws IOException if the directory cannot be used
  public static DeliveryQueue open(String name, QueueSettings settings, Sender sender)
      throws IOException {
    DeliveryQueue queue =
        new DeliveryQueue(name, settings, sender, FileQueue.open(settings.directory()));
    queue.resume();
    return queue;
  }

  public QueueStatistics statistics() {
    return statistics;
  }

  /// Stores an entry and sends it.
  ///
  /// @return completes when the entry is on disk; fails with [QueueException] if the queue is full
  ///   or closed, or with IOException if the disk fails
  public CompletableFuture<Void> add(byte[] entry) {
    CompletableFuture<Void> stored = new CompletableFuture<>();
    try {
      thread.execute(() -> store(entry, stored));
    } catch (RejectedExecutionException _) {
      stored.completeExceptionally(new QueueException("the queue is closed"));
    }
    return stored;
  }

  private void store(byte[] entry, CompletableFuture<Void> stored) {
    if (queue.size() >= settings.most()) {
      statistics.count(Fate.FULL);
      stored.completeExceptionally(
          new QueueException("the queue holds " + queue.size() + " entries, its limit"));
      return;
    }
    try {
      queue.add(entry);
      statistics.count(Fate.STORED);
      stored.complete(null);
    } catch (IOException e) {
      failed(e);
      stored.completeExceptionally(e);
    }
    send();
  }

  /// Ends the wait after an entry that got no answer.
  public void resume() {
    onThread(() -> {
      waits = false;
      send();
    });
  }

  private void send() {
    statistics.waiting(queue.size());
    OptionalLong number = queue.oldest();
    while (number.isPresent() && !waits && inFlight.size() < settings.window()) {
      long next = number.getAsLong();
      number = queue.after(next);
      if (!inFlight.contains(next)) {
        send(next);
      }
    }
  }

  private void send(long number) {
    try {
      Optional<byte[]> entry = queue.read(number);
      Optional<CompletableFuture<Outcome>> sent =
          entry.flatMap(octets -> sender.send(octets, sentBefore.contains(number)));
      if (sent.isEmpty()) {
        statistics.count(Fate.UNREADABLE);
        LOG.warn("entry {} of {} is unreadable: moved to refused", number, settings.directory());
        queue.refuse(number);
        return;
      }
      sentBefore.add(number);
      inFlight.add(number);
      sent.get()
          .whenComplete((outcome, failure) -> onThread(() -> ended(number, outcome, failure)));
    } catch (IOException e) {
      failed(e);
      pause();
    }
  }

  private void ended(long number, @Nullable Outcome outcome, @Nullable Throwable failure) {
    inFlight.remove(number);
    try {
      switch (outcome == null ? Outcome.TRY_AGAIN : outcome) {
        case DELIVERED -> {
          queue.remove(number);
          sentBefore.remove(number);
          statistics.count(Fate.DELIVERED);
        }
        case REFUSED -> {
          queue.refuse(number);
          sentBefore.remove(number);
          statistics.count(Fate.REFUSED);
          LOG.warn("entry {} was refused: moved to {}/refused", number, settings.directory());
        }
        case TRY_AGAIN -> {
          statistics.count(Fate.RETRIED);
          LOG.debug("entry {} waits: {}", number, String.valueOf(failure));
          pause();
        }
      }
    } catch (IOException e) {
      failed(e);
      pause();
    }
    send();
  }

  private void pause() {
    if (!waits) {
      waits = true;
      thread.schedule(this::resume, settings.retry().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void failed(IOException e) {
    statistics.count(Fate.DISK_FAILED);
    LOG.error("the queue in {} failed: {}", settings.directory(), e.toString());
  }

  private void onThread(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException _) {
      // The queue is closed; its entries are on disk.
    }
  }

  /// Stops sending. What has no answer is sent at the next start.
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("the disk of {} does not answer", settings.directory());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
