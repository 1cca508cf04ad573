package io.viaduct.snapt.policy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rates of the accounts that have sessions here: one per direction and account, made with its
/// first session and forgotten with its last. Any thread.
public final class AccountRates {
  /// 100 Gbit/s.
  public static final long BITS_PER_SECOND_MAX = 100_000_000_000L;

  private final long bitsPerSecond;
  private final Map<String, Entry> accounts = new HashMap<>();

  /// Both directions of an account.
  public record Pair(AccountRate up, AccountRate down) {}

  private static final class Entry {
    private final Pair rates;
    private int sessions;

    private Entry(Pair rates) {
      this.rates = rates;
    }
  }

  /// @param bitsPerSecond of each direction; 0: no limit
  public AccountRates(long bitsPerSecond) {
    this.bitsPerSecond = bitsPerSecond;
  }

  /// A session of the account begins.
  ///
  /// @return null without a limit
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

  /// A session of the account has ended.
  public synchronized void end(String account) {
    Entry entry = accounts.get(account);
    if (entry != null && --entry.sessions == 0) {
      accounts.remove(account);
    }
  }
}
