package io.viaduct.bridge.provisioning;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.revocation.IssuedRevocations;
import io.viaduct.usage.v1.ProvisioningGrpc;
import io.viaduct.usage.v1.SubscriberEvent;
import io.viaduct.usage.v1.WatchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps [Subscribers] up to date with billing. Each call to billing brings the whole directory and
/// then each change. While billing is away, the last state stays in use; a bridge that starts then
/// uses the copy on disk.
public final class SubscriberFeed implements ChangeStream.Reader<SubscriberEvent>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberFeed.class);
  private static final Duration COPY_DELAY = Duration.ofSeconds(1);

  private final Subscribers subscribers;
  private final IssuedRevocations revoked;
  private final SubscriberCopy copy;
  private final String domain;
  private final ChangeStream<SubscriberEvent> stream;
  private final Map<String, Subscriber> staged = new LinkedHashMap<>(); // the stream's thread only
  private final ScheduledExecutorService disk =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("subscriber-copy").factory());
  private final AtomicBoolean copyDue = new AtomicBoolean();

  private SubscriberFeed(
      ManagedChannel billing,
      Subscribers subscribers,
      IssuedRevocations revoked,
      Path state,
      String domain,
      MeterRegistry registry)
      throws IOException {
    this.subscribers = subscribers;
    this.revoked = revoked;
    this.copy = new SubscriberCopy(state, domain);
    this.domain = domain;
    this.stream =
        new ChangeStream<>(
            "subscriber-feed",
            billing,
            () -> {
              staged.clear();
              return ProvisioningGrpc.newBlockingStub(billing)
                  .watch(WatchRequest.newBuilder().setDomain(domain).build());
            },
            this,
            Counter.builder("viaduct_bridge_provisioning_failures")
                .description("Streams of users from billing that failed or ended")
                .register(registry));
    Gauge.builder("viaduct_bridge_provisioning_current", this, feed -> feed.isCurrent() ? 1 : 0)
        .description("1 while billing sends changes of users, 0 while the last state is used")
        .register(registry);
    Gauge.builder("viaduct_bridge_subscribers", subscribers, Subscribers::size)
        .description("Users in the directory")
        .register(registry);
  }

  /// Loads the copy, and starts the thread that reads from billing.
  ///
  /// @param state directory of the copy
  /// @throws IOException if that directory cannot be used
  public static SubscriberFeed start(
      ManagedChannel billing,
      Subscribers subscribers,
      IssuedRevocations revoked,
      Path state,
      String domain,
      MeterRegistry registry)
      throws IOException {
    SubscriberFeed feed =
        new SubscriberFeed(billing, subscribers, revoked, state, domain, registry);
    feed.copy
        .read()
        .ifPresent(all -> {
          subscribers.replaceAll(all);
          LOG.info("{} users loaded from the copy on disk, until billing answers", all.size());
        });
    feed.stream.start();
    return feed;
  }

  /// Returns whether the stream from billing is open and its directory complete.
  public boolean isCurrent() {
    return stream.isCurrent();
  }

  @Override
  public boolean stage(SubscriberEvent event) {
    switch (event.getEventCase()) {
      case SUBSCRIBER -> {
        Subscriber subscriber = SubscriberMessage.read(event.getSubscriber());
        staged.put(subscriber.user(), subscriber);
      }
      case REMOVED -> staged.remove(event.getRemoved());
      case COMPLETE -> {
        subscribers.replaceAll(staged.values());
        LOG.info("billing has sent the directory: {} users of {}", staged.size(), domain);
        staged.clear();
        copySoon();
      }
      case EVENT_NOT_SET -> LOG.debug("an event of an unknown kind from billing is ignored");
    }
    return event.getComplete();
  }

  @Override
  public void change(SubscriberEvent event) {
    switch (event.getEventCase()) {
      case SUBSCRIBER -> {
        Subscriber subscriber = SubscriberMessage.read(event.getSubscriber());
        subscribers.put(subscriber);
        LOG.info(
            "user {} {}", subscriber.user(), subscriber.isSuspended() ? "is suspended" : "changed");
      }
      case REMOVED -> {
        subscribers.remove(event.getRemoved());
        LOG.info("user {} was removed", event.getRemoved());
      }
      case COMPLETE, EVENT_NOT_SET -> {
        return;
      }
    }
    copySoon();
  }

  @Override
  public void failed(String why) {
    LOG.warn(
        "billing sends no changes of users ({}); {}",
        why,
        subscribers.isLoaded()
            ? "the last state of " + subscribers.size() + " users stays in use"
            : "no user can register until it answers");
  }

  private void copySoon() {
    if (copyDue.compareAndSet(false, true)) {
      var unused = disk.schedule(this::copy, COPY_DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void copy() {
    copyDue.set(false);
    try {
      revoked.save();
      copy.write(subscribers.all());
    } catch (IOException e) {
      LOG.error("the copy of the users cannot be written: {}", e.toString());
    }
  }

  /// Ends the stream, and writes changes that are not on disk yet.
  @Override
  public void close() {
    stream.close();
    disk.shutdownNow();
    if (copyDue.get() && subscribers.isLoaded()) {
      copy();
    }
  }
}
