package io.viaduct.service.storage;

import io.viaduct.service.storage.QueueStatistics.Fate;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
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
/// the receiver has it. Entries of a session are sent in the order of their arrival, one at a time;
/// one without an answer is sent again, also after a restart, and the next ones of its session wait
/// for it. Other sessions go on. One thread owns the queue, because it waits for the disk. All
/// public methods may be called from any thread.
public final class DeliveryQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryQueue.class);

  /// The receiver's answer to an entry.
  public enum Outcome {
    DELIVERED,
    /// It will never take the entry.
    REFUSED,
    /// There was no answer, so the receiver may have it. It is sent again.
    UNANSWERED,
    /// It was not sent, or an answer says to try again. It is sent again.
    POSTPONED
  }

  /// Reads entries; called on the queue's thread.
  @FunctionalInterface
  public interface Reader {
    /// @return empty if the octets cannot be read as an entry
    Optional<? extends QueueEntry> read(byte[] octets);
  }

  private final QueueSettings settings;
  private final Reader reader;
  private final FileQueue queue;
  private final QueueStatistics statistics = new QueueStatistics();
  private final ScheduledExecutorService thread;
  private final SessionOrder order = new SessionOrder();
  private long lastRead; // number of the newest entry whose session is known
  // Entries that the receiver may have: those of earlier starts, and those without an answer.
  private final Set<Long> mayHaveArrived = new HashSet<>();
  private boolean hasTimer; // that ends the wait of entries set aside
  private boolean waits; // for the disk

  private DeliveryQueue(String name, QueueSettings settings, Reader reader, FileQueue queue) {
    this.settings = settings;
    this.reader = reader;
    this.queue = queue;
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    OptionalLong number = queue.oldest();
    for (; number.isPresent(); number = queue.after(number.getAsLong())) {
      mayHaveArrived.add(number.getAsLong());
    }
    statistics.waiting(queue.size());
  }

  /// Opens a queue and begins to send what it holds.
  ///
  /// @param name name of its thread
  /// @throws IOException if the directory cannot be used
  public static DeliveryQueue open(String name, QueueSettings settings, Reader reader)
      throws IOException {
    DeliveryQueue queue =
        new DeliveryQueue(name, settings, reader, FileQueue.open(settings.directory()));
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
    return addAll(List.of(entry)).thenApply(_ -> null);
  }

  /// Stores entries and sends them. They share the wait for the directory.
  ///
  /// @param entries at least one
  /// @return completes with the number of entries that are on disk, the first ones, when these are;
  ///   fewer than all if the queue is full then. It fails as that of [#add] if there is none. If it
  ///   is cancelled before the disk's turn, none is stored
  public CompletableFuture<Integer> addAll(List<byte[]> entries) {
    CompletableFuture<Integer> stored = new CompletableFuture<>();
    try {
      thread.execute(() -> store(entries, stored));
    } catch (RejectedExecutionException _) {
      stored.completeExceptionally(new QueueException("the queue is closed"));
    }
    return stored;
  }

  private void store(List<byte[]> entries, CompletableFuture<Integer> stored) {
    if (stored.isCancelled()) {
      return; // the caller has given up, and will bring them again
    }
    int fitting = Math.min(entries.size(), settings.most() - queue.size());
    if (fitting < entries.size()) {
      statistics.count(Fate.FULL);
    }
    if (fitting <= 0) {
      stored.completeExceptionally(
          new QueueException("the queue holds " + queue.size() + " entries, its limit"));
      return;
    }
    try {
      queue.addAll(entries.subList(0, fitting));
      for (int i = 0; i < fitting; i++) {
        statistics.count(Fate.STORED);
      }
      stored.complete(fitting);
    } catch (IOException e) {
      failed(e);
      stored.completeExceptionally(e);
    }
    send();
  }

  /// Ends the wait after entries that got no answer.
  public void resume() {
    onThread(() -> {
      waits = false;
      order.resume();
      send();
    });
  }

  private void send() {
    statistics.waiting(queue.size());
    try {
      while (!waits && order.busy() < settings.window()) {
        OptionalLong next = order.take();
        if (next.isPresent()) {
          send(next.getAsLong());
        } else if (!readNext()) {
          return;
        }
      }
    } catch (IOException e) {
      failed(e);
      waits = true;
      resumeLater();
    }
  }

  /// Reads the session of the next entry.
  ///
  /// @return false if those of all entries are known
  private boolean readNext() throws IOException {
    OptionalLong next = queue.after(lastRead);
    if (next.isEmpty()) {
      return false;
    }
    long number = next.getAsLong();
    Optional<? extends QueueEntry> entry = read(number);
    lastRead = number;
    if (entry.isPresent()) {
      order.add(number, entry.get().session());
    } else {
      refuseUnreadable(number);
    }
    return true;
  }

  private Optional<? extends QueueEntry> read(long number) throws IOException {
    return queue.read(number).flatMap(reader::read);
  }

  private void refuseUnreadable(long number) throws IOException {
    statistics.count(Fate.UNREADABLE);
    LOG.warn("entry {} of {} is unreadable: moved to refused", number, settings.directory());
    queue.refuse(number);
  }

  private void send(long number) throws IOException {
    Optional<? extends QueueEntry> entry;
    try {
      entry = read(number);
    } catch (IOException e) {
      order.setAside(number);
      throw e;
    }
    if (entry.isEmpty()) {
      order.done(number);
      refuseUnreadable(number);
      return;
    }
    entry
        .get()
        .send(mayHaveArrived.contains(number))
        .whenComplete((outcome, failure) -> onThread(() -> ended(number, outcome, failure)));
  }

  private void ended(long number, @Nullable Outcome outcome, @Nullable Throwable failure) {
    try {
      switch (outcome == null ? Outcome.UNANSWERED : outcome) {
        case DELIVERED -> {
          queue.remove(number);
          done(number, Fate.DELIVERED);
        }
        case REFUSED -> {
          queue.refuse(number);
          done(number, Fate.REFUSED);
          LOG.warn("entry {} was refused: moved to {}/refused", number, settings.directory());
        }
        case UNANSWERED -> {
          mayHaveArrived.add(number);
          setAside(number, failure);
        }
        case POSTPONED -> setAside(number, failure);
      }
    } catch (IOException e) {
      // The receiver has it; its file is sent as a copy at the next start.
      failed(e);
      mayHaveArrived.remove(number);
      order.done(number);
      waits = true;
      resumeLater();
    }
    send();
  }

  private void done(long number, Fate fate) {
    mayHaveArrived.remove(number);
    order.done(number);
    statistics.count(fate);
  }

  // A receiver that takes nothing has soon as many entries set aside as may be in flight. Then none
  // is sent until the time is over.
  private void setAside(long number, @Nullable Throwable failure) {
    statistics.count(Fate.RETRIED);
    LOG.debug("entry {} waits: {}", number, String.valueOf(failure));
    order.setAside(number);
    resumeLater();
  }

  private void resumeLater() {
    if (!hasTimer) {
      hasTimer = true;
      thread.schedule(
          () -> {
            hasTimer = false;
            resume();
          },
          settings.retry().toMillis(),
          TimeUnit.MILLISECONDS);
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
