package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.database.Notifications;
import io.viaduct.billing.settlement.ChargeListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionException;

/// Tells the event streams of every billing instance on the database about changed charges and
/// balances: its own at once, those of the others by PostgreSQL's NOTIFY. A thread of its own sends
/// all changes that wait in one statement after the commit, because a transaction with a NOTIFY
/// waits for all others with one. A change that cannot be sent is counted: the pages read it when
/// they are loaded next.
final class AccountBroadcast implements ChargeListener, Notifications.Listener, AutoCloseable {
  static final String CHANNEL = "charge";

  /// Most changes that wait to be sent.
  static final int WAITING_MAX = 4096;

  /// Most charges in one notice: 19 digits and a comma each, and a notice has less than 8000 bytes.
  static final int CHARGES_MAX = 300;

  private static final int BATCH_MAX = 256;
  private static final Logger LOG = LoggerFactory.getLogger(AccountBroadcast.class);

  // The notice matters only to pages that are open now, so its commit need not wait for the disk.
  private static final String SEND =
      "select pg_notify('"
          + CHANNEL
          + "', notice) from set_config('synchronous_commit', 'off', true), unnest(?) notice";

  private final String instance = UUID.randomUUID().toString();
  private final AccountEvents events;
  private final JdbcClient jdbc;
  private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
  private final Counter full;
  private final Counter unsent;
  private final Thread thread = Thread.ofVirtual().name("charge-broadcast").unstarted(this::run);

  AccountBroadcast(AccountEvents events, JdbcClient jdbc, MeterRegistry registry) {
    this.events = events;
    this.jdbc = jdbc;
    full = dropped("queue_full", registry);
    unsent = dropped("database", registry);
  }

  private static Counter dropped(String reason, MeterRegistry registry) {
    return Counter.builder("viaduct_charge_notices_dropped_total")
        .description("Changed charges that other billing instances were not told about, by reason")
        .tag("reason", reason)
        .register(registry);
  }

  /// Starts to send.
  AccountBroadcast start() {
    thread.start();
    return this;
  }

  @Override
  public void changed(String account, Collection<Long> chargeIds) {
    events.changed(account, chargeIds);
    List<Long> ids = List.copyOf(chargeIds);
    for (int from = 0; from == 0 || from < ids.size(); from += CHARGES_MAX) {
      List<Long> some = ids.subList(from, Math.min(ids.size(), from + CHARGES_MAX));
      if (!waiting.offer(notice(account, some))) {
        full.increment();
      }
    }
  }

  private String notice(String account, List<Long> ids) {
    return "%s %s %s"
        .formatted(
            instance, account, ids.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  private void run() {
    List<String> batch = new ArrayList<>();
    try {
      while (!Thread.currentThread().isInterrupted()) {
        batch.add(waiting.take());
        waiting.drainTo(batch, BATCH_MAX - 1);
        send(batch);
        batch.clear();
      }
    } catch (InterruptedException e) {
      LOG.debug("no more changed charges are sent");
    }
  }

  private void send(List<String> batch) {
    try {
      jdbc.sql(SEND).param(batch.toArray(String[]::new)).query(_ -> {});
    } catch (DataAccessException | TransactionException e) {
      unsent.increment(batch.size());
      LOG.debug("{} changes of charges are not sent", batch.size(), e);
    }
  }

  @Override
  public String channel() {
    return CHANNEL;
  }

  /// Passes on what another instance has changed.
  ///
  /// @param notice the instance, the account, and the numbers of the charges with commas
  @Override
  public void changed(String notice) {
    String[] parts = notice.split(" ", 3);
    if (parts.length == 3 && !parts[0].equals(instance) && parts[2].matches("[0-9,]*")) {
      events.changed(
          parts[1],
          Arrays.stream(parts[2].split(","))
              .filter(id -> !id.isEmpty())
              .map(Long::valueOf)
              .toList());
    }
  }

  /// Does nothing: [AccountEvents] lets every stream read its account again.
  @Override
  public void interrupted() {}

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    if (!thread.join(Duration.ofSeconds(2))) {
      LOG.debug("the last changes of charges are still being sent");
    }
  }
}
