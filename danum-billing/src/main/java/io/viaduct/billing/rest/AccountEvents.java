package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.database.Notifications;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/// Sends committed charges and balances to the open event streams of their account. Each stream has
/// its own virtual thread and its own bounded queue. A reader who does not read loses only his own
/// stream.
final class AccountEvents implements Notifications.Listener, AutoCloseable {
  /// Most open streams of one account.
  static final int STREAMS_OF_ACCOUNT_MAX = 32;

  /// Most open streams of all accounts together.
  static final int STREAMS_MAX = 2000;

  private static final Logger LOG = LoggerFactory.getLogger(AccountEvents.class);

  private final Map<String, List<EventStream>> streams = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();
  private final CreditRules credit;
  private final Charges charges;
  private final InstantSource clock;

  AccountEvents(CreditRules credit, Charges charges, InstantSource clock, MeterRegistry registry) {
    this.credit = credit;
    this.charges = charges;
    this.clock = clock;
    Gauge.builder("viaduct_event_streams", open, AtomicInteger::get)
        .description("Open event streams")
        .register(registry);
    Gauge.builder("viaduct_event_streams_max", () -> STREAMS_MAX)
        .description("Most event streams that may be open")
        .register(registry);
  }

  /// Opens a stream. Its first event is the balance; the stream ends when the reader's login
  /// expires or loses its right.
  ///
  /// @param until when the login expires
  /// @param mayRead whether the reader may still read the account; asked by the stream's thread
  /// @throws ProblemException if the account, or billing as a whole, has too many open streams
  SseEmitter open(String account, Instant until, BooleanSupplier mayRead) {
    List<EventStream> accountStreams =
        streams.computeIfAbsent(account, _ -> new CopyOnWriteArrayList<>());
    if (open.get() >= STREAMS_MAX || accountStreams.size() >= STREAMS_OF_ACCOUNT_MAX) {
      throw new ProblemException(
          ProblemType.TOO_MANY_STREAMS,
          "at most "
              + STREAMS_OF_ACCOUNT_MAX
              + " streams of one account may be open, and "
              + STREAMS_MAX
              + " in all",
          Duration.ofSeconds(10));
    }
    SseEmitter emitter =
        new SseEmitter(Math.max(1, Duration.between(clock.instant(), until).toMillis()));
    EventStream stream = new EventStream(emitter, this::render, mayRead);
    accountStreams.add(stream);
    open.incrementAndGet();
    stream.onEnd(() -> {
      if (accountStreams.remove(stream)) {
        open.decrementAndGet();
      }
    });
    stream.offer(EventStream.Change.of(account, List.of()));
    stream.start();
    return emitter;
  }

  /// Sends changed charges, and the balance.
  void changed(String account, Collection<Long> chargeIds) {
    offer(EventStream.Change.of(account, chargeIds));
  }

  @Override
  public String channel() {
    return "credit_notice";
  }

  /// Sends a notice of the account's credit.
  ///
  /// @param notice number of the notice, a blank, and the account
  @Override
  public void changed(String notice) {
    String[] parts = notice.split(" ", 2);
    if (parts.length == 2) {
      offer(new EventStream.Change(parts[1], List.of(), List.of(Long.valueOf(parts[0]))));
    }
  }

  /// Sends every stream the balance of its account: the pages read the rest again.
  @Override
  public void interrupted() {
    streams.keySet().forEach(account -> changed(account, List.of()));
  }

  private void offer(EventStream.Change change) {
    for (EventStream stream : streams.getOrDefault(change.account(), List.of())) {
      if (!stream.offer(change)) {
        LOG.info(
            "closing an event stream of account '{}': its reader is too slow", change.account());
        stream.end();
      }
    }
  }

  private EventStream.Rendered render(EventStream.Change change) {
    Instant now = clock.instant();
    return new EventStream.Rendered(
        charges.find(change.chargeIds()),
        credit.notices(change.noticeIds()).stream().map(NoticeView::of).toList(),
        Balance.of(credit.find(change.account(), now).orElseThrow(), now));
  }

  /// Ends all streams, so that a stopping server does not wait for them.
  @Override
  public void close() {
    streams.values().forEach(all -> all.forEach(EventStream::end));
  }
}
