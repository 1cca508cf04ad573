package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import io.viaduct.billing.provisioning.UserRefusedException.Reason;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/// Creates, changes, suspends and closes users. Account, password, SIP credentials and devices
/// change together in one transaction. Bridges are notified after its commit.
public final class Users {
  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final LoginSessions sessions;
  private final SipCredentials credentials;
  private final Devices devices;
  private final String configuredOperator;

  /// Changes users in the given stores.
  ///
  /// @param configuredOperator id of the operator whom the configuration names; each start resets
  ///   its role and password
  public Users(
      TransactionTemplate transaction,
      Accounts accounts,
      LoginSessions sessions,
      SipCredentials credentials,
      Devices devices,
      String configuredOperator) {
    this.transaction = transaction;
    this.accounts = accounts;
    this.sessions = sessions;
    this.credentials = credentials;
    this.devices = devices;
    this.configuredOperator = configuredOperator;
  }

  /// A user to create.
  ///
  /// @param sipPassword password for the devices; null if they use the user's password or none
  /// @param sipSecret secret that the devices register with. Null means: the SIP password if one is
  ///   given; otherwise the password for a user, and none for an operator
  public record NewUser(
      String id,
      String displayName,
      Role role,
      String password,
      @Nullable String sipPassword,
      @Nullable SipSecret sipSecret) {
    @Override
    public String toString() {
      return "NewUser[id=%s, role=%s]".formatted(id, role);
    }
  }

  /// Creates a user.
  ///
  /// @return the account, or empty if the id is taken
  /// @throws UserRefusedException if a secret breaks a rule
  public Optional<Account> create(NewUser wanted, Instant now) {
    require(wanted.password, "password");
    SipSecret secret = wanted.sipSecret;
    if (secret == null) {
      secret =
          wanted.sipPassword != null
              ? SipSecret.SEPARATE
              : wanted.role == Role.USER ? SipSecret.SHARED : SipSecret.NONE;
    }
    SipSecret requestedSecret = secret;
    checkSecrets(requestedSecret, wanted.password, wanted.sipPassword, false);
    return transaction.execute(_ -> {
      Optional<Account> opened =
          accounts.open(wanted.id, wanted.password, wanted.role, wanted.displayName, now);
      if (opened.isPresent()) {
        setSecret(wanted.id, requestedSecret, wanted.password, wanted.sipPassword, now);
      }
      return opened.isEmpty() ? opened : accounts.find(wanted.id);
    });
  }

  /// Changes a user on behalf of an operator. A new password for the pages ends the log-ins of the
  /// account.
  ///
  /// @param version version of the account that the operator knows; null changes any
  /// @param keptLogin token of the log-in that stays, or empty
  /// @throws UserRefusedException if a rule is broken; then nothing changed
  public Account change(
      String id, UserChange change, @Nullable Long version, String keptLogin, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Account account = open(id);
          if (version != null) {
            requireVersion(account, version);
          }
          boolean changesConfiguredKeys =
              change.role() != null || change.state() != null || change.password() != null;
          if (changesConfiguredKeys && id.equals(configuredOperator)) {
            throw configuredOperator();
          }
          changeSecrets(account, change, keptLogin, now);
          if (change.displayName() != null) {
            accounts.setDisplayName(id, change.displayName());
          }
          if (change.role() != null) {
            accounts.setRole(id, change.role());
          }
          if (change.state() != null) {
            accounts.setState(id, change.state(), now);
          }
          return accounts.find(id).orElseThrow();
        }));
  }

  private void changeSecrets(Account account, UserChange change, String keptLogin, Instant now) {
    SipSecret secret = change.sipSecret();
    if (secret == null) {
      secret = change.sipPassword() == null ? account.sipSecret() : SipSecret.SEPARATE;
    }
    boolean isUnchanged = secret == account.sipSecret();
    if (change.password() != null) {
      require(change.password(), "password");
    }
    checkSecrets(secret, change.password(), change.sipPassword(), isUnchanged);
    if (change.password() != null) {
      accounts.setPassword(account.id(), change.password());
      sessions.endOthers(account.id(), keptLogin);
    }
    setSecret(account.id(), secret, change.password(), change.sipPassword(), now);
  }

  /// Checks the secrets of a new or changed user.
  ///
  /// @param isUnchanged true if the account has this kind of secret already, so that no password is
  ///   required
  private static void checkSecrets(
      SipSecret secret,
      @Nullable String password,
      @Nullable String sipPassword,
      boolean isUnchanged) {
    if (sipPassword != null) {
      require(sipPassword, "sipPassword");
      if (secret != SipSecret.SEPARATE) {
        throw invalid(
            "sipPassword is for sipSecret 'separate', got '"
                + secret.word()
                + "': leave one of both out");
      }
    } else if (secret == SipSecret.SEPARATE && !isUnchanged) {
      throw invalid("sipSecret 'separate' needs a sipPassword");
    }
    if (secret == SipSecret.SHARED && !isUnchanged && password == null) {
      throw invalid(
          "sipSecret 'shared' needs the password: billing keeps no password that it could share");
    }
  }

  private void setSecret(
      String id,
      SipSecret secret,
      @Nullable String password,
      @Nullable String sipPassword,
      Instant now) {
    String newSipPassword = secret == SipSecret.SHARED ? password : sipPassword;
    if (secret == SipSecret.NONE) {
      credentials.remove(id);
    } else if (newSipPassword != null) {
      credentials.setPassword(id, newSipPassword, now);
    }
    accounts.setSipSecret(id, secret);
  }

  /// Changes a user's own password. Other log-ins of the account end. While the secret is shared,
  /// its devices need the new password too.
  ///
  /// @param keptLogin token of the log-in that stays
  /// @throws UserRefusedException if a rule is broken; then nothing changed
  public Account changePassword(
      String id, String oldPassword, String newPassword, String keptLogin, Instant now) {
    if (!accounts.matches(id, oldPassword)) {
      throw new UserRefusedException(
          Reason.WRONG_OLD_PASSWORD, "the old password is not right: nothing was changed");
    }
    return change(
        id, new UserChange(null, null, null, newPassword, null, null), null, keptLogin, now);
  }

  /// Checks that an account's password may be changed.
  ///
  /// @throws UserRefusedException if there is no such account, it is closed, or the configuration
  ///   has its password
  void requireChangeablePassword(String id) {
    var unused = open(id);
    if (id.equals(configuredOperator)) {
      throw configuredOperator();
    }
  }

  /// Closes an account for ever: it cannot log in, register or get tokens. Password, SIP
  /// credentials, devices, log-ins and the display name are deleted. The id and all money rows
  /// stay. A second call changes nothing, whatever version it names.
  ///
  /// @param version version of the account that the operator knows
  /// @throws UserRefusedException if there is no such account, it has another version, or the
  ///   configuration names it
  public Account close(String id, long version, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Account account = accounts.lock(id).orElseThrow(() -> unknown(id));
          if (id.equals(configuredOperator)) {
            throw configuredOperator();
          }
          if (account.state() != AccountState.CLOSED) {
            requireVersion(account, version);
            credentials.remove(id);
            devices.removeAll(id);
            sessions.endOthers(id, "");
            accounts.close(id, now);
          }
          return accounts.find(id).orElseThrow();
        }));
  }

  private static void requireVersion(Account account, long version) {
    if (version != account.version()) {
      throw new UserRefusedException(
          Reason.CHANGED,
          "account '%s' has changed since: read it again, it is version %d"
              .formatted(account.id(), account.version()));
    }
  }

  private Account open(String id) {
    Account account = accounts.lock(id).orElseThrow(() -> unknown(id));
    if (account.state() == AccountState.CLOSED) {
      throw new UserRefusedException(
          Reason.CLOSED, "account '" + id + "' is closed for ever: make a new one");
    }
    return account;
  }

  private static void require(String password, String key) {
    if (!Passwords.isAcceptable(password)) {
      throw invalid(key + " " + Passwords.RULE);
    }
  }

  private static UserRefusedException unknown(String id) {
    return new UserRefusedException(Reason.UNKNOWN, "there is no account '" + id + "'");
  }

  private static UserRefusedException invalid(String detail) {
    return new UserRefusedException(Reason.INVALID, detail);
  }

  private UserRefusedException configuredOperator() {
    return new UserRefusedException(
        Reason.CONFIGURED_OPERATOR,
        "role, state and password of '%s' come from billing's configuration: change operator.password-file there and restart billing"
            .formatted(configuredOperator));
  }
}
