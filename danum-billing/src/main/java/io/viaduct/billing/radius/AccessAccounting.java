package io.viaduct.billing.radius;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.access.AccessRecord;
import io.viaduct.billing.access.AccessSessions;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.radius.accounting.AccountingRecord;
import io.viaduct.radius.server.NasClient;
import io.viaduct.radius.server.RecordHandler;
import io.viaduct.service.operations.LabelledCounters;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Stores the records of access networks. Each has a virtual thread, because it waits for the
/// database. The user is found by User-Name: `alice`, or `alice@DOMAIN` of the home domain, where
/// the name is an account's id or one of its further SIP addresses.
final class AccessAccounting implements RecordHandler, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessAccounting.class);
  private static final Pattern USER =
      Pattern.compile("(?:sips?:)?([A-Za-z0-9._+-]{1,64})(?:@([^@]{1,253}))?");
  private static final String ENDED = "Stop"; // a Stop without Acct-Terminate-Cause

  private final AccessSessions sessions;
  private final SipAddresses addresses;
  private final String domain;
  private final Semaphore connections;
  private final LabelledCounters<RecordOutcome> outcomes;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("radius-", 0).factory());

  /// @param domain home domain of the users, in lower case
  /// @param connections most database connections that records may use at a time
  AccessAccounting(
      AccessSessions sessions,
      SipAddresses addresses,
      String domain,
      int connections,
      MeterRegistry registry) {
    this.sessions = sessions;
    this.addresses = addresses;
    this.domain = domain;
    this.connections = new Semaphore(connections);
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_access_records",
            "Accounting records of access networks, by result",
            "result",
            RecordOutcome.class);
  }

  @Override
  public CompletableFuture<Void> store(NasClient client, AccountingRecord record) {
    return CompletableFuture.runAsync(() -> connected(client, record), threads);
  }

  private void connected(NasClient client, AccountingRecord record) {
    connections.acquireUninterruptibly();
    try {
      outcomes.increment(outcome(client, record));
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("an accounting record cannot be stored now, database: {}", e.toString());
      outcomes.increment(RecordOutcome.DEFERRED);
      throw e;
    } catch (RuntimeException e) {
      LOG.error("an accounting record of {} failed", client.name(), e);
      throw e;
    } finally {
      connections.release();
    }
  }

  private RecordOutcome outcome(NasClient client, AccountingRecord record) {
    return switch (record.kind()) {
      case START, INTERIM_UPDATE, STOP -> session(client, record);
      case ACCOUNTING_ON, ACCOUNTING_OFF -> {
        sessions.endAll(client.name(), record.server(), "NAS-Reboot", record.at());
        yield RecordOutcome.SERVER_RESTARTED;
      }
      case OTHER -> RecordOutcome.IGNORED;
    };
  }

  private RecordOutcome session(NasClient client, AccountingRecord record) {
    Optional<String> account = user(record.user()).flatMap(addresses::account);
    if (account.isEmpty()) {
      return RecordOutcome.UNKNOWN_USER;
    }
    sessions.store(
        new AccessRecord(
            new AccessRecord.Key(client.name(), record.server(), record.session()),
            account.get(),
            record.device(),
            record.address(),
            record.at(),
            record.lasted(),
            record.octetsUp(),
            record.octetsDown(),
            endedBy(record)));
    return RecordOutcome.STORED;
  }

  private static String endedBy(AccountingRecord record) {
    if (record.kind() != AccountingRecord.Kind.STOP) {
      return "";
    }
    return record.cause().isEmpty() ? ENDED : record.cause();
  }

  private Optional<String> user(String name) {
    Matcher parts = USER.matcher(name);
    return parts.matches()
            && (parts.group(2) == null || parts.group(2).toLowerCase(Locale.ROOT).equals(domain))
        ? Optional.of(parts.group(1))
        : Optional.empty();
  }

  @Override
  public void close() {
    threads.close();
  }
}
