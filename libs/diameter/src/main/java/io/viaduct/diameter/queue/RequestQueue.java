package io.viaduct.diameter.queue;

import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.queue.QueueStatistics.Fate;
import io.viaduct.service.storage.FileQueue;
import java.io.IOException;
import java.util.HashSet;
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

/// Delivers requests at least once: each is on disk before it is sent, and its file is deleted when
/// a peer has answered it. Requests are sent in the order of their arrival. One that got no answer
/// is sent again with the T bit and the same end-to-end identifier, also after a restart; the peer
/// recognises a copy by Session-Id and record number. One thread owns the queue.
public final class RequestQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestQueue.class);

  private final QueueSettings settings;
  private final DiameterNode node;
  private final StoredRequest format;
  private final FileQueue queue;
  private final QueueStatistics statistics = new QueueStatistics();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("diameter-queue").factory());
  private final Set<Long> inFlight = new HashSet<>();
  // Requests that may have been sent before: those of earlier starts, and those without an answer.
  private final Set<Long> sentBefore = new HashSet<>();
  private boolean waits;

  private RequestQueue(
      QueueSettings settings, DiameterNode node, Dictionary dictionary, FileQueue queue) {
    this.settings = settings;
    this.node = node;
    this.format = new StoredRequest(dictionary);
    this.queue = queue;
    OptionalLong number = queue.oldest();
    for (; number.isPresent(); number = queue.after(number.getAsLong())) {
      sentBefore.add(number.getAsLong());
    }
    statistics.waiting(queue.size());
  }

  /// Opens a queue and begins to send what it holds.
  ///
  /// @throws IOException if the directory cannot be used
  public static RequestQueue open(QueueSettings settings, DiameterNode node, Dictionary dictionary)
      throws IOException {
    RequestQueue queue =
        new RequestQueue(settings, node, dictionary, FileQueue.open(settings.directory()));
    node.onAvailable(queue::resume);
    queue.resume();
    return queue;
  }

  public QueueStatistics statistics() {
    return statistics;
  }

  /// Stores a request and sends it.
  ///
  /// @return completes when the request is on disk; fails with [QueueException] if the queue is
  ///   full or closed, or with IOException if the disk fails
  public CompletableFuture<Void> add(DiameterMessage request) {
    CompletableFuture<Void> stored = new CompletableFuture<>();
    DiameterMessage identified = request.with(request.header().withEndToEnd(node.takeEndToEnd()));
    try {
      thread.execute(() -> store(identified, stored));
    } catch (RejectedExecutionException _) {
      stored.completeExceptionally(new QueueException("the queue is closed"));
    }
    return stored;
  }

  private void store(DiameterMessage request, CompletableFuture<Void> stored) {
    if (queue.size() >= settings.most()) {
      statistics.count(Fate.FULL);
      stored.completeExceptionally(
          new QueueException("the queue holds " + queue.size() + " requests, its limit"));
      return;
    }
    try {
      queue.add(request.encode());
      statistics.count(Fate.STORED);
      stored.complete(null);
    } catch (IOException e) {
      failed(e);
      stored.completeExceptionally(e);
    }
    send();
  }

  /// Ends the wait after a request that got no answer.
  private void resume() {
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
    DiameterMessage request;
    try {
      request = format.read(queue, number).orElse(null);
      if (request == null) {
        statistics.count(Fate.UNREADABLE);
        LOG.warn("entry {} of {} is no request: moved to refused", number, settings.directory());
        queue.refuse(number);
        return;
      }
    } catch (IOException e) {
      failed(e);
      pause();
      return;
    }
    inFlight.add(number);
    boolean again = !sentBefore.add(number);
    DiameterMessage message = again ? request.with(request.header().asRetransmission()) : request;
    node.send(message)
        .whenComplete((answer, failure) -> onThread(() -> ended(number, answer, failure)));
  }

  private void ended(long number, @Nullable DiameterMessage answer, @Nullable Throwable failure) {
    inFlight.remove(number);
    AnswerMeaning meaning = answer == null ? AnswerMeaning.TRY_AGAIN : AnswerMeaning.of(answer);
    try {
      switch (meaning) {
        case DONE -> {
          queue.remove(number);
          sentBefore.remove(number);
          statistics.count(Fate.DELIVERED);
        }
        case REFUSED -> {
          queue.refuse(number);
          sentBefore.remove(number);
          statistics.count(Fate.REFUSED);
          LOG.warn(
              "entry {} was refused with Result-Code {}: moved to {}/refused",
              number,
              answer == null ? 0 : answer.resultCode().orElse(0),
              settings.directory());
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
