package io.viaduct.billing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.database.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/// Tests the statements that the database itself refuses, for any client.
class AppendOnlyTest {
  private final JdbcTemplate jdbc = SharedDatabase.jdbc();
  private final Ledger ledger = new Ledger(jdbc);
  private final String user = "user-" + UUID.randomUUID();
  private String key = "";

  @BeforeEach
  void postOneTransaction() {
    new Accounts(SharedDatabase.client(), SharedDatabase.transaction(), ledger, new Passwords(2))
        .open(user, "password", Role.USER, user, Instant.now());
    key = UUID.randomUUID().toString();
    post(LedgerTransaction.topUp(key, user, new MicroDenarii(5), "x"));
  }

  private void post(LedgerTransaction transaction) {
    SharedDatabase.transaction()
        .executeWithoutResult(_ -> ledger.post(List.of(transaction), Instant.now()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update posting set amount_microdenarii = 6",
        "delete from posting",
        "truncate posting",
        "update ledger_transaction set note = 'y'",
        "update ledger_transaction set posted_at = now()",
        "delete from ledger_transaction",
        "update ledger_account set created_at = now()",
        "delete from ledger_account",
        "update tariff set created_at = now()",
        "delete from tariff",
        "truncate charge",
        "truncate relayed_bytes",
        "delete from relayed_bytes",
        "truncate call_request",
        "delete from call_request",
        "update call_request set seconds = 0",
        "delete from carried_flow",
        "update snapt_report set charge_microdenarii = 0",
        "delete from top_up",
        "delete from charging_interval",
        "update charging_interval set account = 'x'",
        "truncate ledger_transaction cascade"
      })
  void postedRowsCanNeitherBeChangedNorRemoved(String statement) {
    long before = count();
    assertThatThrownBy(() -> jdbc.execute(statement)).isInstanceOf(DataAccessException.class);
    assertThat(count()).isEqualTo(before);
    assertThat(ledger.balance(LedgerAccount.user(user)).value()).isEqualTo(5);
  }

  private long count() {
    return jdbc.queryForObject("select count(*) from posting", Long.class);
  }

  @Test
  void aTransactionThatDoesNotSumToZeroCannotBeCommitted() {
    assertThatThrownBy(() ->
            SharedDatabase.transaction()
                .executeWithoutResult(_ -> {
                  long id =
                      MonthlyIds.of(
                              SharedDatabase.client(),
                              "ledger_transaction_id",
                              List.of(Instant.EPOCH))
                          .getFirst();
                  jdbc.update(
                      "insert into ledger_transaction (id, kind, identity, postings, posted_at, note)"
                          + " values (?, 'TOP_UP', ?, 2, now(), '')",
                      id,
                      UUID.randomUUID().toString());
                  jdbc.update(
                      "insert into posting values (?, 1, ?, 7), (?, 2, 'ISSUANCE', -6)",
                      id,
                      "USER:" + user,
                      id);
                }))
        .rootCause()
        .hasMessageContaining("postings that sum to 0, has 2 that sum to 1");
  }

  @Test
  void nothingCanBeAddedToACommittedTransaction() {
    Long id =
        jdbc.queryForObject(
            "select id from ledger_transaction where identity = ?", Long.class, "top-up:" + key);
    assertThatThrownBy(() ->
            jdbc.update(
                "insert into posting values (?, 3, ?, 1), (?, 4, 'ISSUANCE', -1)",
                id,
                "USER:" + user,
                id))
        .rootCause()
        .hasMessageContaining("must have 2 postings");
  }

  @Test
  void theSameIdentityIsPostedOnce() {
    assertThatThrownBy(() -> post(LedgerTransaction.topUp(key, user, new MicroDenarii(5), "again")))
        .isInstanceOf(DuplicateKeyException.class);
  }

  @Test
  void anUnbalancedTransactionIsRefusedBeforeItReachesTheDatabase() {
    assertThatThrownBy(() ->
            new LedgerTransaction(
                LedgerTransaction.Kind.TOP_UP,
                "x",
                null,
                "",
                List.of(
                    new LedgerTransaction.Posting(LedgerAccount.user(user), new MicroDenarii(1)))))
        .hasMessageContaining("must sum to 0, sums to 1");
  }

  @Test
  void aBrokenInvariantIsFoundAndNamed() {
    // Only the owner with triggers off can break the ledger. Verification must find even that.
    LedgerVerification verification =
        new LedgerVerification(
            SharedDatabase.client(), new Snapshot(SharedDatabase.transactions()));
    assertThat(verification.run()).allMatch(LedgerVerification.Check::holds);
    assertThat(verification.imbalance()).isEqualByComparingTo("0");
    SharedDatabase.asOwner((owner, transaction) -> {
      owner.execute("alter table posting disable trigger user");
      owner.update(
          "insert into posting select id, 3, 'ISSUANCE', 1 from ledger_transaction where identity = ?",
          "top-up:" + key);
      DataSource own = Objects.requireNonNull(owner.getDataSource());
      assertThat(
              new LedgerVerification(
                      JdbcClient.create(own), new Snapshot(new JdbcTransactionManager(own)))
                  .run())
          .filteredOn(c -> !c.holds())
          .extracting(LedgerVerification.Check::name)
          .containsExactly(
              "each transaction has its postings and sums to 0",
              "all accounts sum to 0",
              "no posted row can be updated or deleted");
      transaction.setRollbackOnly();
    });
    assertThat(verification.run()).allMatch(LedgerVerification.Check::holds);
  }
}
