package io.viaduct.bridge.provisioning;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.usage.v1.ProvisioningGrpc;
import io.viaduct.usage.v1.SubscriberEvent;
import io.viaduct.usage.v1.WatchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps [Subscribers] as billing says: the whole directory at each call, then each change. While
/// billing is away the last state stays; a copy of it on disk serves a bridge that starts
/// meanwhile.
public final class SubscriberFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberFeed.class);
  private static final long PAUSE_MS_MIN = 100;
  private static final long PAUSE_MS_MAX = 2000;
  private static final Duration COPY_DELAY = Duration.ofSeconds(1);

  private final ManagedChannel billing;
  private final Subscribers subscribers;
  private final SubscriberCopy copy;
  private final String domain;
  private final Counter failures;
  private final Context.CancellableContext call = Context.ROOT.withCancellation();
  private final Thread reader;
  private final ScheduledExecutorService disk =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("subscriber-copy").factory());
  private final AtomicBoolean copyDue = new AtomicBoolean();
  private volatile boolean current;
  private volatile boolean closed;
  private String lastFailure = ""; // of the reader

  private SubscriberFeed(
      ManagedChannel billing,
      Subscribers subscribers,
      Path state,
      String domain,
      MeterRegistry registry)
      throws IOException {
    this.billing = billing;
    this.subscribers = subscribers;
    this.copy = new SubscriberCopy(state, domain);
    this.domain = domain;
    this.failures =
        Counter.builder("viaduct.bridge.provisioning.failures")
            .description("Streams of users from billing that ended or could not be had")
            .register(registry);
    Gauge.builder("viaduct.bridge.provisioning.current", this, feed -> feed.current ? 1 : 0)
        .description("1 while billing tells of the users, 0 while the last state serves")
        .register(registry);
    Gauge.builder("viaduct.bridge.subscribers", subscribers, Subscribers::size)
        .description("Users of the domain that are known")
        .register(registry);
    this.reader = Thread.ofVirtual().name("subscriber-feed").unstarted(() -> call.run(this::run));
  }

  /// Loads the copy, and begins to listen to billing.
  ///
  /// @param state directory of the copy
  /// @throws IOException if that directory cannot be had
  public static SubscriberFeed start(
      ManagedChannel billing,
      Subscribers subscribers,
      Path state,
      String domain,
      MeterRegistry registry)
      throws IOException {
    SubscriberFeed feed = new SubscriberFeed(billing, subscribers, state, domain, registry);
    feed.copy
        .read()
        .ifPresent(all -> {
          subscribers.replaceAll(all);
          LOG.info("{} users of the copy on disk, until billing tells", all.size());
        });
    feed.reader.start();
    return feed;
  }

  /// Whether billing tells of the users now.
  public boolean isCurrent() {
    return current;
  }

  private void run() {
    long pauseMs = PAUSE_MS_MIN;
    while (!closed) {
      boolean completed = false;
      try {
        Iterator<SubscriberEvent> events =
            ProvisioningGrpc.newBlockingStub(billing)
                .watch(WatchRequest.newBuilder().setDomain(domain).build());
        completed = read(events);
        failed(Status.UNAVAILABLE.withDescription("billing ended the stream"));
      } catch (StatusRuntimeException e) {
        completed = current;
        failed(e.getStatus());
      }
      pauseMs = completed ? PAUSE_MS_MIN : Math.min(PAUSE_MS_MAX, pauseMs * 2);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      billing.resetConnectBackoff(); // gRPC's own pauses grow to two minutes
    }
  }

  /// @return whether the whole directory came
  private boolean read(Iterator<SubscriberEvent> events) {
    Map<String, Subscriber> staged = new LinkedHashMap<>();
    while (events.hasNext()) {
      SubscriberEvent event = events.next();
      if (current) {
        apply(event);
      } else {
        stage(event, staged);
      }
    }
    return current;
  }

  private void stage(SubscriberEvent event, Map<String, Subscriber> staged) {
    switch (event.getEventCase()) {
      case SUBSCRIBER -> {
        Subscriber subscriber = SubscriberMessage.read(event.getSubscriber());
        staged.put(subscriber.user(), subscriber);
      }
      case REMOVED -> staged.remove(event.getRemoved());
      case COMPLETE -> {
        subscribers.replaceAll(staged.values());
        current = true;
        lastFailure = "";
        LOG.info("billing tells of {} users of {}", staged.size(), domain);
        staged.clear();
        copySoon();
      }
      case EVENT_NOT_SET -> LOG.debug("an event that this version does not know");
    }
  }

  private void apply(SubscriberEvent event) {
    switch (event.getEventCase()) {
      case SUBSCRIBER -> {
        Subscriber subscriber = SubscriberMessage.read(event.getSubscriber());
        subscribers.put(subscriber);
        LOG.info(
            "user {} {}", subscriber.user(), subscriber.suspended() ? "is suspended" : "changed");
      }
      case REMOVED -> {
        subscribers.remove(event.getRemoved());
        LOG.info("user {} may not register any more", event.getRemoved());
      }
      case COMPLETE, EVENT_NOT_SET -> {
        return;
      }
    }
    copySoon();
  }

  private void failed(Status status) {
    current = false;
    if (closed) {
      return;
    }
    failures.increment();
    String why = status.getCode() + ": " + status.getDescription();
    if (!why.equals(lastFailure)) {
      lastFailure = why;
      LOG.warn(
          "billing does not tell of the users ({}); {}",
          why,
          subscribers.isLoaded()
              ? "the last state of " + subscribers.size() + " users serves"
              : "nobody can register until it does");
    }
  }

  private void copySoon() {
    if (copyDue.compareAndSet(false, true)) {
      var unused = disk.schedule(this::copy, COPY_DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void copy() {
    copyDue.set(false);
    try {
      copy.write(subscribers.all());
    } catch (IOException e) {
      LOG.error("the copy of the users cannot be written: {}", e.toString());
    }
  }

  /// Ends the stream; what is not on disk yet is written.
  @Override
  public void close() {
    closed = true;
    call.cancel(null);
    LockSupport.unpark(reader);
    disk.shutdownNow();
    if (copyDue.get() && subscribers.isLoaded()) {
      copy();
    }
  }
}
