package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.usage.v1.BindDeviceVerdict;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the device keys of each account and enforces their limit.
public final class Devices {
  /// Length of an Ed25519 public key, in bytes.
  static final int KEY_BYTES = 32;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final int max;

  /// Stores device keys up to a limit.
  ///
  /// @param max most keys of one account
  public Devices(JdbcClient jdbc, TransactionTemplate transaction, Accounts accounts, int max) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.accounts = accounts;
    this.max = max;
  }

  /// A device of an account.
  ///
  /// @param id its public key in base64url without padding, as `cnapt keygen` prints it
  /// @param addedAt time when it was first seen
  public record Device(String id, Instant addedAt) {}

  /// Returns the most keys that one account may have.
  public int max() {
    return max;
  }

  /// Stores a key if the account has room for it. The account's row is locked: if two new keys
  /// arrive together for one free place, one is refused.
  BindDeviceVerdict bind(String id, byte[] key, Instant now) {
    if (!id.matches(Account.ID_PATTERN)) {
      return BindDeviceVerdict.ACCOUNT_UNKNOWN; // PostgreSQL refuses some characters
    }
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Optional<Account> account = accounts.lock(id);
          if (account.isEmpty() || account.get().state() == AccountState.CLOSED) {
            return BindDeviceVerdict.ACCOUNT_UNKNOWN;
          }
          if (account.get().state() == AccountState.SUSPENDED) {
            return BindDeviceVerdict.ACCOUNT_SUSPENDED;
          }
          if (count(id, "and public_key = ?", key) > 0) {
            return BindDeviceVerdict.BOUND;
          }
          if (count(id, "") >= max) {
            return BindDeviceVerdict.TOO_MANY_DEVICES;
          }
          jdbc.sql(
                  "insert into device (account, public_key, added_at) values (:account, :publicKey, :addedAt)")
              .param("account", id)
              .param("publicKey", key)
              .param("addedAt", Timestamp.from(now))
              .update();
          return BindDeviceVerdict.BOUND;
        }));
  }

  private int count(String account, String and, Object... more) {
    return jdbc.sql("select count(*) from device where account = ? " + and)
        .param(account)
        .params(more)
        .query(Integer.class)
        .single();
  }

  /// Returns the devices of an account, oldest first.
  public List<Device> list(String account) {
    return jdbc.sql(
            "select public_key, added_at from device where account = ? order by added_at, public_key")
        .param(account)
        .query((row, _) -> new Device(id(row.getBytes(1)), row.getTimestamp(2).toInstant()))
        .list();
  }

  /// Removes a device. It gets no further token, and its place is free.
  ///
  /// @return false if the account has no such device
  public boolean remove(String account, String device) {
    byte[] key;
    try {
      key = Base64.getUrlDecoder().decode(device);
    } catch (IllegalArgumentException _) {
      return false;
    }
    return jdbc.sql("delete from device where account = ? and public_key = ?")
            .param(account)
            .param(key)
            .update()
        > 0;
  }

  void removeAll(String account) {
    jdbc.sql("delete from device where account = ?").param(account).update();
  }

  private static String id(byte[] key) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
  }
}
