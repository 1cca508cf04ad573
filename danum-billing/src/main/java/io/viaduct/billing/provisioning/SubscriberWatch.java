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

/// Tells one bridge of all subscribers, then of each change. A virtual thread of its own reads and
/// sends: each event is the state at the moment of its sending, so that an older one never follows
/// a newer one. Changes of one subscriber that wait are one event, and nothing is sent to a bridge
/// that does not read: the memory is bounded by the number of accounts.
final class SubscriberWatch {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberWatch.class);
  private static final int PAGE = 500;
  private static final long LOOK_MS = 1000;

  private final Subscribers subscribers;
  private final ServerCallStreamObserver<SubscriberEvent> bridge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Set<String> changed = new LinkedHashSet<>(); // guarded by lock
  private boolean ended; // guarded by lock

  SubscriberWatch(Subscribers subscribers, ServerCallStreamObserver<SubscriberEvent> bridge) {
    this.subscribers = subscribers;
    this.bridge = bridge;
  }

  /// Sends until the bridge goes or [#end] is called.
  ///
  /// @param over is run at the end
  void start(Runnable over) {
    bridge.setOnReadyHandler(this::wake);
    bridge.setOnCancelHandler(this::end);
    Thread.ofVirtual()
        .name("subscriber-watch")
        .start(() -> {
          try {
            serve();
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("billing begins anew: call again")
                    .asException());
          } catch (DataAccessException e) {
            LOG.warn("a bridge is told of subscribers later, database: {}", e.toString());
            bridge.onError(
                Status.UNAVAILABLE
                    .withDescription("the database is away: call again")
                    .asException());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) {
            LOG.error("a bridge cannot be told of the subscribers", e);
            bridge.onError(Status.INTERNAL.withDescription("see billing's log").asException());
          } finally {
            over.run();
          }
        });
  }

  /// The subscriber is to be sent again.
  void changed(String account) {
    lock.lock();
    try {
      changed.add(account);
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the stream; the bridge calls again.
  void end() {
    lock.lock();
    try {
      ended = true;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      news.signalAll();
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

  /// @return false if the stream has ended
  private boolean send(SubscriberEvent event) throws InterruptedException {
    lock.lock();
    try {
      while (!bridge.isReady() && !over()) {
        news.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
      if (over()) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    bridge.onNext(event);
    return true;
  }

  /// @return empty if the stream has ended
  private List<String> awaitChanges() throws InterruptedException {
    lock.lock();
    try {
      while (changed.isEmpty() && !over()) {
        news.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
      List<String> all = over() ? List.of() : new ArrayList<>(changed);
      changed.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }

  private boolean over() {
    return ended || bridge.isCancelled();
  }
}
