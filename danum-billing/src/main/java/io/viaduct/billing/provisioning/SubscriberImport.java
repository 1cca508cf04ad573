package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.SipSecret;
import io.viaduct.billing.audit.AuditLog;
import io.viaduct.billing.configuration.BillingConfiguration;
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

/// Imports a file of users. A missing user is created. A user without SIP credentials, or without a
/// card, gets them. Those that a user has stay unchanged unless the file says `overwrite`. A second
/// import of the same file changes nothing. A user with digests only gets no password for the
/// pages. The audit log has an entry for each user that an import changes.
public final class SubscriberImport {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberImport.class);

  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final SipCredentials credentials;
  private final Cards cards;
  private final AuditLog audit;
  private final InstantSource clock;

  /// The result for one user.
  public enum Outcome {
    CREATED,
    /// SIP credentials or a card were added or replaced.
    CHANGED,
    UNCHANGED,
    /// The account is closed, so nothing changed.
    CLOSED
  }

  public SubscriberImport(
      TransactionTemplate transaction,
      Accounts accounts,
      SipCredentials credentials,
      Cards cards,
      AuditLog audit,
      InstantSource clock) {
    this.transaction = transaction;
    this.accounts = accounts;
    this.credentials = credentials;
    this.cards = cards;
    this.audit = audit;
    this.clock = clock;
  }

  /// Imports the file of users that the configuration names, if it names one.
  ///
  /// @throws io.viaduct.service.configuration.ConfigurationException naming file, user and rule;
  ///   then nothing was imported
  public void importFrom(BillingConfiguration.Imports imports) {
    if (!imports.subscribers().isEmpty()) {
      var unused = importFrom(Path.of(imports.subscribers()));
    }
  }

  /// Imports a file, each user in a transaction of its own. Each new password takes about 50 ms
  /// (Argon2id).
  ///
  /// @return number of users by outcome
  /// @throws io.viaduct.service.configuration.ConfigurationException naming file, user and rule;
  ///   then nothing was imported
  public Map<Outcome, Integer> importFrom(Path file) {
    SubscriberFile users = SubscriberFile.read(file);
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (Entry entry : users.subscribers()) {
      Outcome outcome =
          Objects.requireNonNull(
              transaction.execute(_ -> importEntry(entry, users.overwrite(), clock.instant())));
      outcomes.merge(outcome, 1, Integer::sum);
      if (outcome == Outcome.CLOSED) {
        LOG.warn("{}: account '{}' is closed: the line is ignored", file, entry.user());
      }
    }
    LOG.info(
        "{}: {} users created, {} changed, {} unchanged",
        file,
        outcomes.getOrDefault(Outcome.CREATED, 0),
        outcomes.getOrDefault(Outcome.CHANGED, 0),
        outcomes.getOrDefault(Outcome.UNCHANGED, 0));
    return outcomes;
  }

  private Outcome importEntry(Entry entry, boolean overwrite, Instant now) {
    String id = entry.user();
    Optional<Account> account = accounts.lock(id);
    if (account.isEmpty()) {
      note(id, now);
      create(entry, now);
      return Outcome.CREATED;
    }
    if (account.get().state() == AccountState.CLOSED) {
      return Outcome.CLOSED;
    }
    boolean isSecretNew = hasSecret(entry) && isNew(credentials.find(id), ha1(entry), overwrite);
    Optional<Card> newCard = entry.card().filter(card -> isNew(cards.find(id), card, overwrite));
    if (!isSecretNew && newCard.isEmpty()) {
      return Outcome.UNCHANGED;
    }
    note(id, now);
    if (isSecretNew) {
      setSecret(account.get(), entry, now);
    }
    newCard.ifPresent(card -> cards.set(id, card, now));
    return Outcome.CHANGED;
  }

  private void note(String id, Instant now) {
    audit.configured("importUser", "imports.subscribers/" + id, now);
  }

  private static <T> boolean isNew(Optional<T> before, T wanted, boolean overwrite) {
    return before.isEmpty() || overwrite && !before.get().equals(wanted);
  }

  private static boolean hasSecret(Entry entry) {
    return entry.password().isPresent() || entry.ha1().isPresent();
  }

  private void setSecret(Account account, Entry entry, Instant now) {
    if (account.sipSecret() == SipSecret.SHARED && entry.password().isPresent()) {
      // Pages and SIP keep the same password.
      accounts.setPassword(account.id(), entry.password().get().reveal());
    } else {
      accounts.setSipSecret(account.id(), SipSecret.SEPARATE);
    }
    credentials.set(account.id(), ha1(entry), now);
  }

  private void create(Entry entry, Instant now) {
    String id = entry.user();
    if (entry.password().isPresent()) {
      var unused =
          accounts.open(id, entry.password().get().reveal(), entry.role(), entry.name(), now);
      accounts.setSipSecret(id, SipSecret.SHARED);
    } else {
      var unused = accounts.openWithoutPassword(id, entry.name(), entry.role(), now);
      if (entry.ha1().isPresent()) {
        accounts.setSipSecret(id, SipSecret.SEPARATE);
      }
    }
    if (hasSecret(entry)) {
      credentials.set(id, ha1(entry), now);
    }
    entry.card().ifPresent(card -> cards.set(id, card, now));
  }

  private Ha1 ha1(Entry entry) {
    return entry
        .ha1()
        .orElseGet(() ->
            Ha1.of(entry.user(), credentials.realm(), entry.password().orElseThrow().reveal()));
  }
}
