package io.viaduct.billing.ro;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The accounts that the database finds are those of which [RoAccount#due] says that a request is
/// due.
class RoCandidatesTest {
  private static final int ACCOUNTS = 400;
  private static final RoRules RULES =
      new RoRules(
          new MicroDenarii(1_000),
          Duration.ofMinutes(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(1));

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final String tag = "ro-" + UUID.randomUUID().toString().substring(0, 8) + "-";
  private final Instant now = Instant.parse("2126-01-01T00:00:00Z");
  private final RoStore store = new RoStore(SharedDatabase.transaction(), SharedDatabase.client());

  // Their balances are those of no postings, so they are rolled back.
  @Test
  void theDatabaseFindsTheAccountsOfWhichARequestIsDue() {
    SharedDatabase.transaction()
        .executeWithoutResult(status -> {
          status.setRollbackOnly();
          compare();
        });
  }

  private void compare() {
    Set<String> due = new TreeSet<>();
    for (int i = 0; i < ACCOUNTS; i++) {
      String account = tag + i;
      boolean isLive = open(account);
      boolean isKnown = random.nextInt(5) > 0;
      if (isKnown) {
        know(account);
      }
      if (isKnown ? isDue(account) : isLive) {
        due.add(account);
      }
    }
    Set<String> found = new TreeSet<>(store.candidates(RULES, now, 1_000_000));
    found.removeIf(account -> !account.startsWith(tag));
    assertThat(found).as("seed %d", seed).isEqualTo(due);
    assertThat(due.size()).as("seed %d", seed).isBetween(ACCOUNTS / 10, ACCOUNTS * 9 / 10);
  }

  private boolean isDue(String account) {
    boolean isAsked =
        SharedDatabase.client()
            .sql("select asked_until > ? from ro_account where account = ?")
            .params(Timestamp.from(now), account)
            .query(Boolean.class)
            .single();
    boolean isPending =
        SharedDatabase.client()
            .sql("select pending is not null from ro_account where account = ?")
            .param(account)
            .query(Boolean.class)
            .single();
    return !isAsked && (isPending || store.find(account, now).due(RULES, now).isPresent());
  }

  private Timestamp around(int seconds) {
    return Timestamp.from(now.plusSeconds(random.nextInt(2 * seconds + 1) - seconds));
  }

  /// Opens an account, maybe with a session and a quota.
  ///
  /// @return true if it has a session that is open, or was refused a minute ago at most
  private boolean open(String account) {
    var jdbc = SharedDatabase.client();
    jdbc.sql(
            "insert into account (id, display_name, role, created_at, state)"
                + " values (?, '', 'user', now(), 'closed')")
        .param(account)
        .update();
    jdbc.sql("update credit_account set balance_microdenarii = ? where account = ?")
        .params(random.nextInt(4_000) - 2_000, account)
        .update();
    if (random.nextBoolean()) {
      return false;
    }
    Timestamp heard = around(90);
    boolean isEnded = random.nextBoolean();
    jdbc.sql("insert into credit_session values ('snapt-ro', ?, ?, 1, ?, ?)")
        .params(account, account, heard, isEnded)
        .update();
    if (random.nextBoolean()) {
      jdbc.sql(
              """
              insert into credit_quota (snapt_id, session_id, application, service_class, account, used_bytes,
                used_flow_ms, used_interval_ms, allowed_bytes, allowed_flow_ms, allowed_interval_ms, covered_bytes,
                covered_flow_ms, covered_interval_ms, bytes_per_second, flows, reserved_microdenarii, valid_until, cut)
              values ('snapt-ro', :account, 'web', 'HT_HD', :account, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, :reserved, :now, false)
              """)
          .param("account", account)
          .param("reserved", random.nextInt(600))
          .param("now", Timestamp.from(now))
          .update();
    }
    return !isEnded || heard.toInstant().isAfter(now.minus(Duration.ofMinutes(1)));
  }

  private void know(String account) {
    boolean hasSession = random.nextBoolean();
    SharedDatabase.client()
        .sql(
            """
            insert into ro_account (account, base_microdenarii, told_microdenarii, granted_microdenarii, session_id,
              last_grant, valid_until, pending, asked_until)
            values (:account, :base, :told, :granted, :session, :last, :until, :pending, :asked)
            """)
        .param("account", account)
        .param("base", random.nextInt(1_000) - 1_000)
        .param("told", random.nextInt(2_000))
        .param("granted", random.nextInt(2_000))
        .param("session", hasSession ? account : null)
        .param("last", random.nextBoolean())
        .param("until", around(60))
        .param("pending", hasSession && random.nextInt(4) == 0 ? "UPDATE" : null)
        .param("asked", random.nextInt(4) == 0 ? around(30) : Timestamp.from(now))
        .update();
  }
}
