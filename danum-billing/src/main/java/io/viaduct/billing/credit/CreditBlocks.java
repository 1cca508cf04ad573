package io.viaduct.billing.credit;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Blocks accounts and lifts blocks, as the operator decides. A blocked account may register and
/// keeps its sessions, but gets no quotas. Each decision is kept, and pushed to the sessions like
/// any change of the rules of credit.
public final class CreditBlocks {
  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  CreditBlocks(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// A decision to block an account or to lift its block.
  ///
  /// @param reason reason in the operator's words
  /// @param decidedBy account of the operator
  public record Decision(boolean isBlocked, String reason, String decidedBy, Instant decidedAt) {}

  /// Carries out a decision. A decision that changes nothing is kept too, with its reason.
  ///
  /// @param version version of the rules of credit that the operator has seen
  /// @return false if they have changed since; then nothing is decided
  public boolean decide(String account, long version, Decision decision) {
    return transaction.execute(_ -> {
      int changed =
          jdbc.sql(
                  "update credit_account set blocked = ?, rules_version = rules_version + 1"
                      + " where account = ? and rules_version = ?")
              .param(decision.isBlocked())
              .param(account)
              .param(version)
              .update();
      if (changed == 0) {
        return false;
      }
      jdbc.sql(
              "insert into credit_block (account, blocked, reason, decided_by, decided_at)"
                  + " values (?, ?, ?, ?, ?)")
          .param(account)
          .param(decision.isBlocked())
          .param(decision.reason())
          .param(decision.decidedBy())
          .param(Timestamp.from(decision.decidedAt()))
          .update();
      return true;
    });
  }

  /// Returns the latest decision about an account; empty if there was none.
  public Optional<Decision> latest(String account) {
    return jdbc.sql(
            "select blocked, reason, decided_by, decided_at from credit_block where account = ?"
                + " order by id desc limit 1")
        .param(account)
        .query((row, _) ->
            new Decision(
                row.getBoolean(1),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant()))
        .optional();
  }
}
