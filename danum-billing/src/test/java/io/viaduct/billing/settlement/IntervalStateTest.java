package io.viaduct.billing.settlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.MonthlyIds;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

class IntervalStateTest {
  private final JdbcTemplate jdbc = SharedDatabase.jdbc();
  private final TransactionTemplate transaction = SharedDatabase.transaction();

  @Test
  void theDatabaseAllowsExactlyTheTransitionsOfTheStateMachine() {
    String user = "user-" + UUID.randomUUID();
    new Accounts(SharedDatabase.client(), transaction, new Ledger(jdbc), new Passwords(2))
        .open(user, "password", Role.USER, user, Instant.now());
    for (IntervalState from : IntervalState.values()) {
      for (IntervalState to : IntervalState.values()) {
        assertThat(moves(user, from, to))
            .as("%s to %s", from, to)
            .isEqualTo(from.next().contains(to));
      }
    }
  }

  // Each attempt is rolled back, so that no interval without a report stays behind.
  private boolean moves(String user, IntervalState from, IntervalState to) {
    return Boolean.TRUE.equals(
        transaction.execute(status -> {
          status.setRollbackOnly();
          long id =
              MonthlyIds.of(SharedDatabase.client(), "charging_interval_id", List.of(Instant.EPOCH))
                  .getFirst();
          jdbc.update(
              "insert into charging_interval values (?, 's', ?, 0, 0, ?, 'o', '', 't', now(), now(),"
                  + " now(), now(), 'GOOD', 1, ?)",
              id,
              user,
              user,
              from.name());
          try {
            jdbc.update("update charging_interval set state = ? where id = ?", to.name(), id);
            return true;
          } catch (DataAccessException e) {
            return false;
          }
        }));
  }
}
