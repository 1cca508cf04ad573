package io.viaduct.billing.ro;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Asks the charging system for the credit of accounts whose sessions need it, and tells it what
/// they have used. An account has one request in flight.
public final class RoCredit implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoCredit.class);
  private static final int ACCOUNTS_OF_RUN = 200;

  /// Sends requests.
  @FunctionalInterface
  public interface Peer {
    /// @return completes with the answer; it does not fail
    CompletableFuture<RoAnswer> ask(RoRequest request);
  }

  private final RoStore store;
  private final RoRules rules;
  private final RoIds ids;
  private final Peer peer;
  private final InstantSource clock;
  private final Semaphore connections;
  private final LabelledCounters<RoAnswer.Outcome> outcomes;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("ro-credit-", 0).factory());

  /// @param connections most database connections that answers may use at a time
  public RoCredit(
      RoStore store,
      RoRules rules,
      RoIds ids,
      Peer peer,
      int connections,
      MeterRegistry registry,
      InstantSource clock) {
    this.store = store;
    this.rules = rules;
    this.ids = ids;
    this.peer = peer;
    this.clock = clock;
    this.connections = new Semaphore(connections);
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_ro_requests",
            "Requests for credit to the operator's charging system, by result",
            "result",
            RoAnswer.Outcome.class);
  }

  /// Sends the requests that are due.
  public void run() {
    Instant now = clock.instant();
    for (String account : store.candidates(rules, now, ACCOUNTS_OF_RUN)) {
      store.take(account, rules, ids, now).ifPresent(this::ask);
    }
  }

  private void ask(RoRequest request) {
    var unused = peer.ask(request).thenAcceptAsync(answer -> store(request, answer), threads);
  }

  private void store(RoRequest request, RoAnswer answer) {
    connections.acquireUninterruptibly();
    try {
      outcomes.increment(answer.outcome());
      store.answered(request, answer, rules, clock.instant());
    } catch (DataAccessException | TransactionException e) {
      // The request stays, and is sent again with its number: the charging system knows it.
      LOG.warn("an answer of the charging system cannot be stored now: {}", e.toString());
    } finally {
      connections.release();
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
