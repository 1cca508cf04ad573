package io.viaduct.billing.credit;

import java.util.Collection;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The lock of an account's credit: its row in `credit_account`. Each posting takes it, because the
/// balance is kept there. So a transaction that takes other locks too takes this one before them,
/// and no two transactions wait for each other.
public final class CreditLock {
  private CreditLock() {}

  /// Locks the credit of accounts until the transaction ends, in a fixed order.
  public static void take(JdbcClient jdbc, Collection<String> accounts) {
    jdbc.sql("select from credit_account where account = any(?) order by account for no key update")
        .param(new TreeSet<>(accounts).toArray(String[]::new))
        .query(row -> {});
  }
}
