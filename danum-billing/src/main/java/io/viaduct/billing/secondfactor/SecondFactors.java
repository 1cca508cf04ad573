package io.viaduct.billing.secondfactor;

import io.viaduct.billing.provisioning.CredentialKeys;
import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the second factor of each account, and checks codes. All state is in the database, under
/// the lock of the account's row, so that a code is taken once and wrong codes are counted together
/// whichever instance of billing checks them.
///
/// | state | log-in |
/// |---|---|
/// | off: no row | by password |
/// | pending: a secret was made | by password |
/// | on: a right code has confirmed it | by password and code |
public final class SecondFactors {
  /// Wrong codes that are free. Each further one doubles the pause, from [#PAUSE_MIN] to
  /// [#PAUSE_MAX].
  public static final int WRONG_CODES_FREE = 5;

  static final Duration PAUSE_MIN = Duration.ofSeconds(30);
  static final Duration PAUSE_MAX = Duration.ofHours(1);
  static final int RECOVERY_CODES = 10;

  private static final int RECOVERY_BYTES = 10;
  private static final int PAUSE_DOUBLINGS_MAX = 7;
  private static final int CODE_LENGTH_MAX = 64;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final CredentialKeys keys;
  private final String issuer;
  private final SecureRandom random = new SecureRandom();

  /// Second factors in a database.
  ///
  /// @param issuer name that authenticator apps show
  public SecondFactors(
      JdbcClient jdbc, TransactionTemplate transaction, CredentialKeys keys, String issuer) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.keys = keys;
    this.issuer = issuer;
  }

  /// A secret for an authenticator app. It is not shown again.
  ///
  /// @param secret 32 characters of Base32
  /// @param uri the same for a QR code
  public record NewSecret(String secret, String uri) {
    @Override
    public String toString() {
      return "NewSecret[]";
    }
  }

  /// The state of an account's second factor.
  public enum State {
    OFF,
    PENDING,
    ON
  }

  /// The state with the number of recovery codes that are left.
  public record Status(State state, int recoveryCodes) {}

  /// The result of a check.
  public enum Outcome {
    ACCEPTED,
    /// A recovery code, which is used up now.
    RECOVERED,
    WRONG,
    /// A right code that was used before, or is older than a used one.
    REUSED,
    /// Too many wrong codes: it was not checked.
    BLOCKED,
    /// The account has no second factor in this state.
    NONE
  }

  /// The result of a check with the time to wait.
  ///
  /// @param retryAfter time after which the next code is checked; zero if at once
  public record Check(Outcome outcome, Duration retryAfter) {
    public boolean isAccepted() {
      return outcome == Outcome.ACCEPTED || outcome == Outcome.RECOVERED;
    }
  }

  private record Row(
      String keyId,
      byte[] sealed,
      boolean isOn,
      long lastStep,
      int wrongCodes,
      @Nullable Instant blockedUntil) {}

  public Status status(String account) {
    return jdbc.sql(
            "select confirmed_at is not null, (select count(*) from recovery_code r where r.account = f.account)"
                + " from second_factor f where account = ?")
        .param(account)
        .query((row, _) -> new Status(row.getBoolean(1) ? State.ON : State.PENDING, row.getInt(2)))
        .optional()
        .orElse(new Status(State.OFF, 0));
  }

  /// Makes a secret in place of one that was never confirmed.
  ///
  /// @return the secret; empty if the second factor is on already
  public Optional<NewSecret> begin(String account, Instant now) {
    byte[] secret = new byte[Totp.SECRET_BYTES];
    random.nextBytes(secret);
    int made =
        jdbc.sql(
                "insert into second_factor as f (account, key_id, secret_sealed, created_at) values (?, ?, ?, ?)"
                    + " on conflict (account) do update set key_id = excluded.key_id,"
                    + " secret_sealed = excluded.secret_sealed, created_at = excluded.created_at"
                    + " where f.confirmed_at is null")
            .params(
                account, keys.currentId(), keys.seal(owner(account), secret), Timestamp.from(now))
            .update();
    return made == 0
        ? Optional.empty()
        : Optional.of(new NewSecret(Totp.base32(secret), Totp.uri(issuer, account, secret)));
  }

  /// A check of the first code with the recovery codes, which are not shown again. They are empty
  /// if the code was not accepted.
  public record Confirmation(Check check, List<String> recoveryCodes) {
    public Confirmation {
      recoveryCodes = List.copyOf(recoveryCodes);
    }

    @Override
    public String toString() {
      return "Confirmation[" + check + "]";
    }
  }

  /// Turns the second factor on if the code is right.
  public Confirmation confirm(String account, String code, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Check check = check(account, code, false, now);
          if (!check.isAccepted()) {
            return new Confirmation(check, List.of());
          }
          jdbc.sql("update second_factor set confirmed_at = ? where account = ?")
              .params(Timestamp.from(now), account)
              .update();
          return new Confirmation(check, newRecoveryCodes(account));
        }));
  }

  /// Checks a code or a recovery code of an account whose second factor is on, and uses it up.
  public Check check(String account, String code, Instant now) {
    return Objects.requireNonNull(transaction.execute(_ -> check(account, code, true, now)));
  }

  private Check check(String account, String code, boolean isOn, Instant now) {
    Optional<Row> found = lock(account).filter(row -> row.isOn == isOn);
    if (found.isEmpty()) {
      return new Check(Outcome.NONE, Duration.ZERO);
    }
    Row row = found.get();
    if (row.blockedUntil != null && now.isBefore(row.blockedUntil)) {
      return new Check(Outcome.BLOCKED, Duration.between(now, row.blockedUntil));
    }
    String typed = code.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    OptionalLong step = Totp.stepOf(keys.open(row.keyId, owner(account), row.sealed), typed, now);
    if (step.isPresent() && step.getAsLong() > row.lastStep) {
      accepted(account, step.getAsLong());
      return new Check(Outcome.ACCEPTED, Duration.ZERO);
    }
    if (isOn && useRecoveryCode(account, typed)) {
      accepted(account, row.lastStep);
      return new Check(Outcome.RECOVERED, Duration.ZERO);
    }
    return refused(
        account, row.wrongCodes + 1, step.isPresent() ? Outcome.REUSED : Outcome.WRONG, now);
  }

  private Optional<Row> lock(String account) {
    return jdbc.sql(
            "select key_id, secret_sealed, confirmed_at is not null, last_step, wrong_codes, blocked_until"
                + " from second_factor where account = ? for update")
        .param(account)
        .query((row, _) -> {
          Timestamp blocked = row.getTimestamp(6);
          return new Row(
              row.getString(1),
              row.getBytes(2),
              row.getBoolean(3),
              row.getLong(4),
              row.getInt(5),
              blocked == null ? null : blocked.toInstant());
        })
        .optional();
  }

  private void accepted(String account, long step) {
    jdbc.sql(
            "update second_factor set last_step = ?, wrong_codes = 0, blocked_until = null where account = ?")
        .params(step, account)
        .update();
  }

  private Check refused(String account, int wrongCodes, Outcome outcome, Instant now) {
    Duration pause = pause(wrongCodes);
    jdbc.sql("update second_factor set wrong_codes = ?, blocked_until = ? where account = ?")
        .params(wrongCodes, Timestamp.from(now.plus(pause)), account)
        .update();
    return new Check(outcome, pause);
  }

  private static Duration pause(int wrongCodes) {
    if (wrongCodes < WRONG_CODES_FREE) {
      return Duration.ZERO;
    }
    int doublings = Math.min(wrongCodes - WRONG_CODES_FREE, PAUSE_DOUBLINGS_MAX);
    Duration pause = PAUSE_MIN.multipliedBy(1L << doublings);
    return pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
  }

  private boolean useRecoveryCode(String account, String typed) {
    return typed.length() <= CODE_LENGTH_MAX
        && jdbc.sql("delete from recovery_code where account = ? and code_digest = ?")
                .params(account, Sha256.of(typed))
                .update()
            == 1;
  }

  private List<String> newRecoveryCodes(String account) {
    List<String> codes = new ArrayList<>();
    for (int i = 0; i < RECOVERY_CODES; i++) {
      byte[] bytes = new byte[RECOVERY_BYTES];
      random.nextBytes(bytes);
      String code = Totp.base32(bytes);
      jdbc.sql("insert into recovery_code (account, code_digest) values (?, ?)")
          .params(account, Sha256.of(code))
          .update();
      codes.add(code.replaceAll("(.{4})(?!$)", "$1-"));
    }
    return codes;
  }

  /// Takes the second factor away, with its recovery codes.
  ///
  /// @return false if there was none
  public boolean remove(String account) {
    return jdbc.sql("delete from second_factor where account = ?").param(account).update() == 1;
  }

  /// Seals the secrets of former keys again with the current key.
  ///
  /// @return number of secrets that were sealed again
  public int renewSeals() {
    record Old(String account, String keyId, byte[] sealed) {}
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          List<Old> old =
              jdbc.sql(
                      "select account, key_id, secret_sealed from second_factor where key_id <> ? for update")
                  .param(keys.currentId())
                  .query((row, _) -> new Old(row.getString(1), row.getString(2), row.getBytes(3)))
                  .list();
          for (Old each : old) {
            String owner = owner(each.account);
            jdbc.sql("update second_factor set key_id = ?, secret_sealed = ? where account = ?")
                .params(
                    keys.currentId(),
                    keys.seal(owner, keys.open(each.keyId, owner, each.sealed)),
                    each.account)
                .update();
          }
          return old.size();
        }));
  }

  private static String owner(String account) {
    return account + " second factor";
  }
}
