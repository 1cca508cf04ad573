package io.viaduct.billing.provisioning;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.viaduct.usage.v1.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/// Sends all subscribers to one bridge, then each change. Its own virtual thread reads and sends.
/// Each event is the state at the time of sending, so an older state never follows a newer one.
/// Several waiting changes of one subscriber become one event. Nothing is sent to a bridge that
/// does not read, so the number of accounts bounds the memory.
final class SubscriberWatch {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberWatch.class);
  private static final int PAGE = 500;
  private static final long CHECK_PERIOD_MS = 1000;

  private final Subscribers subscribers;
  private final ServerCallStreamObserver<SubscriberEvent> bridge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition stateChanged = lock.newCondition();
  private final Set<String> changed = new LinkedHashSet<>(); // guarded by lock
  private boolean isEnded; // guarded by lock

  SubscriberWatch(Subscribers subscribers, ServerCallStreamObserver<SubscriberEvent> bridge) {
    this.subscribers = subscribers;
    this.bridge = bridge;
  }

  /// Sends until the bridge disconnects or [#end] is called.
  ///
  /// @param onEnd action that is run at the end
  void start(Runnable onEnd) {
    bridge.setOnReadyHandler(this::wake);
    bridge.setOnCancelHandler(this::end);
    Thread.ofVirtual()
        .name("subscriber-watch")
        .start(() -> {
          try {
            serve();
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("billing has ended the stream: call again")
                    .asException());
          } catch (DataAccessException e) {
            LOG.warn("subscribers cannot be sent to a bridge now, database: {}", e.toString());
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("the database is away: call again")
                    .asException());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) {
            LOG.error("sending subscribers to a bridge failed", e);
            bridge.onError(Status.INTERNAL.withDescription("see billing's log").asException());
          } finally {
            onEnd.run();
          }
        });
  }

  /// Marks a subscriber as changed, so that it is sent again.
  void changed(String account) {
    lock.lock();
    try {
      changed.add(account);
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
    String after = "";
    List<Subscriber> page;
    do {
      page = subscribers.page(after, PAGE);
      for (Subscriber each : page) {
        if (!send(SubscriberEvent.newBuilder().setSubscriber(each).build())) {
          return;
        }
        after = each.getAccount();
      }
    } while (page.size() == PAGE);
    if (!send(SubscriberEvent.newBuilder().setComplete(true).build())) {
      return;
    }
    for (List<String> next = awaitChanges(); !next.isEmpty(); next = awaitChanges()) {
      for (String account : next) {
        if (!send(event(account))) {
          return;
        }
      }
    }
  }

  private SubscriberEvent event(String account) {
    return subscribers
        .find(account)
        .map(now -> SubscriberEvent.newBuilder().setSubscriber(now).build())
        .orElseGet(() -> SubscriberEvent.newBuilder().setRemoved(account).build());
  }

  /// Sends an event when the bridge is ready to receive it.
  ///
  /// @return false if the stream has ended
  private boolean send(SubscriberEvent event) throws InterruptedException {
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

  /// Waits for changes and returns their accounts.
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
