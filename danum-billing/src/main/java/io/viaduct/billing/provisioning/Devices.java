package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.usage.v1.BindDeviceVerdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the device keys of each account and enforces their limit.
public final class Devices {
  /// Length of an Ed25519 public key, in bytes.
  static final int KEY_BYTES = 32;

  /// Leaves a version of 56 bits: an entity tag has at most 18 digits.
  private static final int VERSION_SHIFT = 8;

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
  /// @param name the user's name of it; empty without one
  /// @param addedAt time when it was first seen
  /// @param lastSeenAt time when a bridge has asked about it last; null if that was never told
  public record Device(String id, String name, Instant addedAt, @Nullable Instant lastSeenAt) {}

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
          if (touch(id, key, now)) {
            return BindDeviceVerdict.BOUND;
          }
          if (count(id) >= max) {
            return BindDeviceVerdict.TOO_MANY_DEVICES;
          }
          jdbc.sql(
                  "insert into device (account, public_key, added_at, last_seen_at) values (:account, :publicKey, :addedAt, :addedAt)")
              .param("account", id)
              .param("publicKey", key)
              .param("addedAt", Timestamp.from(now))
              .update();
          return BindDeviceVerdict.BOUND;
        }));
  }

  /// Notes that a device was seen. A key that the account does not have stays unknown.
  void seen(String account, byte[] key, Instant now) {
    if (account.matches(Account.ID_PATTERN)) { // PostgreSQL refuses some characters
      var unused = touch(account, key, now);
    }
  }

  private boolean touch(String account, byte[] key, Instant now) {
    return jdbc.sql("update device set last_seen_at = ? where account = ? and public_key = ?")
            .param(Timestamp.from(now))
            .param(account)
            .param(key)
            .update()
        == 1;
  }

  private int count(String account) {
    return jdbc.sql("select count(*) from device where account = ?")
        .param(account)
        .query(Integer.class)
        .single();
  }

  /// Returns the devices of an account, oldest first.
  public List<Device> list(String account) {
    return jdbc.sql(
            "select public_key, name, added_at, last_seen_at from device where account = ?"
                + " order by added_at, public_key")
        .param(account)
        .query((row, _) -> {
          Timestamp seen = row.getTimestamp(4);
          return new Device(
              id(row.getBytes(1)),
              row.getString(2),
              row.getTimestamp(3).toInstant(),
              seen == null ? null : seen.toInstant());
        })
        .list();
  }

  /// Returns the version of a list of devices: it changes when one is added, named or removed, and
  /// not when one is seen.
  public static long version(List<Device> devices) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Device each : devices) {
        // None of them has a line feed.
        String line = each.id() + '\n' + each.name() + '\n' + each.addedAt() + '\n';
        digest.update(line.getBytes(StandardCharsets.UTF_8));
      }
      return ByteBuffer.wrap(digest.digest()).getLong() >>> VERSION_SHIFT;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The result of [#remove] and [#name].
  public enum Outcome {
    DONE,
    /// The account has no such device.
    UNKNOWN,
    /// Its devices have changed since the caller read them.
    CHANGED
  }

  /// Removes a device. It gets no further token, and its place is free.
  ///
  /// @param known version of the account's devices that the caller has read
  public Outcome remove(String account, String device, long known) {
    return change(
        account,
        device,
        known,
        key ->
            jdbc.sql("delete from device where account = ? and public_key = ?")
                .param(account)
                .param(key));
  }

  /// Names a device.
  ///
  /// @param known version of the account's devices that the caller has read
  public Outcome name(String account, String device, long known, String name) {
    return change(
        account,
        device,
        known,
        key ->
            jdbc.sql("update device set name = ? where account = ? and public_key = ?")
                .param(name)
                .param(account)
                .param(key));
  }

  private Outcome change(
      String account, String device, long known, Function<byte[], JdbcClient.StatementSpec> sql) {
    Optional<byte[]> key = key(device);
    if (key.isEmpty()) {
      return Outcome.UNKNOWN;
    }
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          var locked = accounts.lock(account);
          List<Device> devices = list(account);
          if (locked.isEmpty() || devices.stream().noneMatch(each -> each.id().equals(device))) {
            return Outcome.UNKNOWN;
          }
          if (version(devices) != known) {
            return Outcome.CHANGED;
          }
          sql.apply(key.get()).update();
          return Outcome.DONE;
        }));
  }

  private static Optional<byte[]> key(String device) {
    try {
      return Optional.of(Base64.getUrlDecoder().decode(device));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  void removeAll(String account) {
    jdbc.sql("delete from device where account = ?").param(account).update();
  }

  private static String id(byte[] key) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
  }
}
