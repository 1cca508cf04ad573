package io.viaduct.billing.account;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Posts money once for each idempotency key of the callers.
public final class OncePerKey<T> {
  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final int lockClass;
  private final Function<String, Optional<T>> find;

  /// @param lockClass first number of the advisory locks of this kind of posting
  /// @param find finds what was posted for a key
  public OncePerKey(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      int lockClass,
      Function<String, Optional<T>> find) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.lockClass = lockClass;
    this.find = find;
  }

  /// Returns the result of the earlier posting for this key, or posts, in one transaction. Requests
  /// with the same key wait for each other. Two keys share a lock only if their hashes collide.
  public <R> R post(String key, Function<T, R> posted, Supplier<R> posting) {
    return transaction.execute(_ -> {
      jdbc.sql("select pg_advisory_xact_lock(?, ?)")
          .param(lockClass)
          .param(key.hashCode())
          .query(_ -> {});
      return find.apply(key).map(posted).orElseGet(posting);
    });
  }
}
