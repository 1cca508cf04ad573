package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import io.viaduct.billing.provisioning.SubscriberFile.Entry;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionTemplate;

/// Imports a file of users: who is missing is made, who has no SIP credentials gets them, and who
/// has them stays as he is unless the file says `overwrite`. Done twice it changes nothing the
/// second time. A user with digests only gets no password for the pages.
public final class SubscriberImport {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberImport.class);

  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final SipCredentials credentials;
  private final InstantSource clock;

  /// What became of one user.
  public enum Outcome {
    MADE,
    /// SIP credentials were added to an account that had none, or replaced.
    CHANGED,
    LEFT,
    /// The account is closed, for ever.
    CLOSED
  }

  public SubscriberImport(
      TransactionTemplate transaction,
      Accounts accounts,
      SipCredentials credentials,
      InstantSource clock) {
    this.transaction = transaction;
    this.accounts = accounts;
    this.credentials = credentials;
    this.clock = clock;
  }

  /// Imports a file, each user in a transaction of its own. A new password takes some 60 ms
  /// (bcrypt).
  ///
  /// @return how many users had which outcome
  /// @throws io.viaduct.service.configuration.ConfigurationException naming file, user and rule;
  ///   nothing was imported then
  public Map<Outcome, Integer> importFrom(Path file) {
    SubscriberFile users = SubscriberFile.read(file);
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (Entry entry : users.subscribers()) {
      Outcome outcome =
          Objects.requireNonNull(
              transaction.execute(_ -> take(entry, users.overwrite(), clock.instant())));
      outcomes.merge(outcome, 1, Integer::sum);
      if (outcome == Outcome.CLOSED) {
        LOG.warn("{}: account '{}' is closed: the line does nothing", file, entry.user());
      }
    }
    LOG.info(
        "{}: {} users made, {} changed, {} left as they are",
        file,
        outcomes.getOrDefault(Outcome.MADE, 0),
        outcomes.getOrDefault(Outcome.CHANGED, 0),
        outcomes.getOrDefault(Outcome.LEFT, 0));
    return outcomes;
  }

  private Outcome take(Entry entry, boolean overwrite, Instant now) {
    String id = entry.user();
    Optional<Account> account = accounts.lock(id);
    if (account.isEmpty()) {
      make(entry, now);
      return Outcome.MADE;
    }
    if (account.get().state() == AccountState.CLOSED) {
      return Outcome.CLOSED;
    }
    Optional<Ha1> before = credentials.find(id);
    Ha1 wanted = ha1(entry);
    if (before.isPresent() && (!overwrite || before.get().equals(wanted))) {
      return Outcome.LEFT;
    }
    if (account.get().sipSecret() == SipSecret.SHARED && entry.password().isPresent()) {
      accounts.setPassword(id, entry.password().get().reveal()); // one secret stays one
    } else {
      accounts.setSipSecret(id, SipSecret.SEPARATE);
    }
    credentials.set(id, wanted, now);
    return Outcome.CHANGED;
  }

  private void make(Entry entry, Instant now) {
    String id = entry.user();
    if (entry.password().isPresent()) {
      var unused = accounts.open(id, entry.password().get().reveal(), Role.USER, id, now);
      accounts.setSipSecret(id, SipSecret.SHARED);
    } else {
      var unused = accounts.openWithoutPassword(id, id, now);
      accounts.setSipSecret(id, SipSecret.SEPARATE);
    }
    credentials.set(id, ha1(entry), now);
  }

  private Ha1 ha1(Entry entry) {
    return entry
        .ha1()
        .orElseGet(() ->
            Ha1.of(entry.user(), credentials.realm(), entry.password().orElseThrow().reveal()));
  }
}
