package io.viaduct.snapt.policy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rate limits of all accounts with sessions here, one per account and direction. They are
/// created with the account's first session and removed with its last. Any thread may call this
/// class.
public final class AccountRates {
  /// 100 Gbit/s.
  public static final long BITS_PER_SECOND_MAX = 100_000_000_000L;

  private final long bitsPerSecond;
  private final Map<String, Entry> accounts = new HashMap<>();

  /// The rate limits of an account in both directions.
  public record Pair(AccountRate up, AccountRate down) {}

  private static final class Entry {
    private final Pair rates;
    private int sessions;

    private Entry(Pair rates) {
      this.rates = rates;
    }
  }

  /// @param bitsPerSecond limit of each direction; 0 means no limit
  public AccountRates(long bitsPerSecond) {
    this.bitsPerSecond = bitsPerSecond;
  }

  /// Registers the start of a session of the account.
  ///
  /// @return the account's limits, or null if there is no limit
  public synchronized @Nullable Pair begin(String account, long nowNs) {
    if (bitsPerSecond == 0) {
      return null;
    }
    Entry entry =
        accounts.computeIfAbsent(
            account,
            _ ->
                new Entry(
                    new Pair(
                        new AccountRate(bitsPerSecond, nowNs),
                        new AccountRate(bitsPerSecond, nowNs))));
    entry.sessions++;
    return entry.rates;
  }

  /// Registers the end of a session of the account.
  public synchronized void end(String account) {
    Entry entry = accounts.get(account);
    if (entry != null && --entry.sessions == 0) {
      accounts.remove(account);
    }
  }
}
