package io.viaduct.billing.mediation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// The wallets of the oracle: a list of draws, from which everything is added up again.
final class OracleWallets {
  private static final Duration WAIT_MAX = Duration.ofMinutes(10);

  /// One flow of an interval.
  record Charge(Object interval, int flow) {}

  /// An amount that an account loses.
  record Expiry(String account, long amount) {}

  private static final class Wallet {
    private final String account;
    private final long amount;
    private final Instant expiresAt;
    private boolean isExpired;

    private Wallet(String account, long amount, Instant expiresAt) {
      this.account = account;
      this.amount = amount;
      this.expiresAt = expiresAt;
    }
  }

  private record Draw(Wallet wallet, Charge charge, long amount) {}

  private record Payer(Wallet wallet, Charge charge) {}

  private final List<Wallet> wallets = new ArrayList<>();
  private final List<Draw> draws = new ArrayList<>();

  void grant(String account, long amount, Instant expiresAt) {
    wallets.add(new Wallet(account, amount, expiresAt));
  }

  private long rest(Wallet wallet) {
    long drawn =
        draws.stream().filter(d -> d.wallet == wallet).mapToLong(draw -> draw.amount).sum();
    return wallet.isExpired ? 0 : wallet.amount - drawn;
  }

  private List<Wallet> inOrder(String account) {
    return wallets.stream()
        .filter(wallet -> wallet.account.equals(account))
        .sorted(
            Comparator.<Wallet, Boolean>comparing(wallet -> wallet.isExpired)
                .thenComparing(wallet -> wallet.expiresAt))
        .toList();
  }

  List<Long> rests(String account) {
    return inOrder(account).stream().map(this::rest).toList();
  }

  void pay(String account, Charge charge, Instant beganAt, long amount) {
    long left = amount;
    for (Wallet wallet : inOrder(account)) {
      long drawn = Math.min(left, rest(wallet));
      if (drawn > 0 && beganAt.isBefore(wallet.expiresAt)) {
        draws.add(new Draw(wallet, charge, drawn));
        left -= drawn;
      }
    }
  }

  /// Gives back what charges drew above what they cost now.
  ///
  /// @param amount what they cost less
  void giveBack(Set<Charge> charges, long amount, long cost) {
    Map<Payer, Long> latestFirst = new LinkedHashMap<>();
    for (Draw draw : draws.reversed()) {
      if (charges.contains(draw.charge) && draw.amount > 0) {
        Payer payer = new Payer(draw.wallet, draw.charge);
        latestFirst.putIfAbsent(payer, drawn(payer));
      }
    }
    long sum = latestFirst.values().stream().mapToLong(drawn -> drawn).sum();
    long due = Math.min(amount, sum - cost);
    for (Map.Entry<Payer, Long> each : latestFirst.entrySet()) {
      long back = Math.min(due, each.getValue());
      if (back > 0 && !each.getKey().wallet.isExpired) {
        draws.add(new Draw(each.getKey().wallet, each.getKey().charge, -back));
        due -= back;
      }
    }
  }

  private long drawn(Payer payer) {
    return draws.stream()
        .filter(d -> d.wallet == payer.wallet && d.charge.equals(payer.charge))
        .mapToLong(draw -> draw.amount)
        .sum();
  }

  /// Lets wallets expire.
  ///
  /// @param isWaiting true for an account with reservations
  /// @return what is taken back
  List<Expiry> expire(Instant now, Predicate<String> isWaiting) {
    List<Expiry> taken = new ArrayList<>();
    for (Wallet wallet : wallets) {
      boolean isDue =
          !wallet.expiresAt.isAfter(now)
              && (!wallet.expiresAt.isAfter(now.minus(WAIT_MAX))
                  || !isWaiting.test(wallet.account));
      if (isDue && !wallet.isExpired) {
        taken.add(new Expiry(wallet.account, rest(wallet)));
        wallet.isExpired = true;
      }
    }
    return taken;
  }

  boolean isEmpty() {
    return wallets.isEmpty();
  }
}
