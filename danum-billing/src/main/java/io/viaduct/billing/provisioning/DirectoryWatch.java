package io.viaduct.billing.provisioning;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/// Sends all rows of a directory to one bridge, then each change. Its own virtual thread reads and
/// sends. Each event is the state at the time of sending, so an older state never follows a newer
/// one. Several waiting changes of one row become one event. Nothing is sent to a bridge that does
/// not read, so the number of rows bounds the memory.
///
/// @param <E> the events
final class DirectoryWatch<E> {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);
  private static final int PAGE = 500;
  private static final long CHECK_PERIOD_MS = 1000;

  /// A directory of which bridges have copies.
  interface Directory<E> {
    /// Returns what it has, for the log.
    String name();

    /// Returns the present states of rows by their key, sorted by key.
    ///
    /// @param after last key of the previous page, or empty
    SequencedMap<String, E> page(String after, int limit);

    /// Returns the present state of one row, or that there is none.
    E event(String key);

    /// Returns the event after the last page.
    E complete();
  }

  private final Directory<E> directory;
  private final ServerCallStreamObserver<E> bridge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition stateChanged = lock.newCondition();
  private final Set<String> changed = new LinkedHashSet<>(); // guarded by lock
  private boolean isEnded; // guarded by lock

  DirectoryWatch(Directory<E> directory, ServerCallStreamObserver<E> bridge) {
    this.directory = directory;
    this.bridge = bridge;
  }

  /// Sends until the bridge disconnects or [#end] is called.
  ///
  /// @param onEnd action that is run at the end
  void start(Runnable onEnd) {
    bridge.setOnReadyHandler(this::wake);
    bridge.setOnCancelHandler(this::end);
    Thread.ofVirtual()
        .name("watch-" + directory.name())
        .start(() -> {
          try {
            serve();
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("billing has ended the stream: call again")
                    .asException());
          } catch (DataAccessException e) {
            LOG.warn(
                "{} cannot be sent to a bridge now, database: {}", directory.name(), e.toString());
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("the database is away: call again")
                    .asException());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) {
            LOG.error("sending {} to a bridge failed", directory.name(), e);
            bridge.onError(Status.INTERNAL.withDescription("see billing's log").asException());
          } finally {
            onEnd.run();
          }
        });
  }

  /// Marks a row as changed, so that it is sent again.
  void changed(String key) {
    lock.lock();
    try {
      changed.add(key);
      stateChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the stream. The bridge then calls again.
  void end() {
    lock.lock();
    try {
      isEnded = true;
      stateChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      stateChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void serve() throws InterruptedException {
    SequencedMap<String, E> page = directory.page("", PAGE);
    while (!page.isEmpty()) {
      for (E each : page.values()) {
        if (!send(each)) {
          return;
        }
      }
      page = directory.page(page.lastEntry().getKey(), PAGE);
    }
    if (!send(directory.complete())) {
      return;
    }
    for (List<String> next = awaitChanges(); !next.isEmpty(); next = awaitChanges()) {
      for (String key : next) {
        if (!send(directory.event(key))) {
          return;
        }
      }
    }
  }

  /// Sends an event when the bridge is ready to receive it.
  ///
  /// @return false if the stream has ended
  private boolean send(E event) throws InterruptedException {
    lock.lock();
    try {
      while (!bridge.isReady() && !isOver()) {
        stateChanged.await(CHECK_PERIOD_MS, TimeUnit.MILLISECONDS);
      }
      if (isOver()) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    bridge.onNext(event);
    return true;
  }

  /// Waits for changes and returns their keys.
  ///
  /// @return empty if the stream has ended
  private List<String> awaitChanges() throws InterruptedException {
    lock.lock();
    try {
      while (changed.isEmpty() && !isOver()) {
        stateChanged.await(CHECK_PERIOD_MS, TimeUnit.MILLISECONDS);
      }
      List<String> all = isOver() ? List.of() : new ArrayList<>(changed);
      changed.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }

  private boolean isOver() {
    return isEnded || bridge.isCancelled();
  }
}
