package io.viaduct.billing.rest;

import io.viaduct.billing.credit.AccountCredit;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallet;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/// Estimates how long credit lasts.
final class LastingCredit {
  private LastingCredit() {}

  /// Returns the present rate, micro-denarii per hour: what the last hour cost or what runs now
  /// costs, the higher one, because traffic may have begun minutes ago. Without both it is the mean
  /// of this day (UTC).
  ///
  /// @param perMinute cost of what runs now
  static long perHour(
      MicroDenarii lastHour, MicroDenarii perMinute, MicroDenarii today, Instant now) {
    long rate =
        Math.max(
            lastHour.value(),
            Math.multiplyExact(perMinute.value(), Duration.ofHours(1).toMinutes()));
    if (rate > 0) {
      return rate;
    }
    long sinceMidnight =
        ChronoUnit.SECONDS.between(
            now.atOffset(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS).toInstant(), now);
    return Math.round(
        today.value() * ((double) Duration.ofHours(1).toSeconds() / Math.max(1, sinceMidnight)));
  }

  /// Returns the seconds until the credit, or what a cap leaves, is used up. The rest of a wallet
  /// counts until it expires.
  ///
  /// @param wallets those that have not expired, first the one that is spent first
  /// @param perHour rate, micro-denarii per hour, above 0
  static long seconds(AccountCredit credit, List<Wallet> wallets, long perHour, Instant now) {
    double perSecond = (double) perHour / Duration.ofHours(1).toSeconds();
    double lasting = ofCredit(credit.credit().value(), wallets, perSecond, now);
    AccountCredit.Caps caps = credit.caps();
    if (caps.day() != null) {
      lasting = Math.min(lasting, caps.day().minus(credit.spentToday()).value() / perSecond);
    }
    if (caps.month() != null) {
      lasting = Math.min(lasting, caps.month().minus(credit.spentThisMonth()).value() / perSecond);
    }
    return (long) Math.max(0, lasting);
  }

  private static double ofCredit(
      double credit, List<Wallet> wallets, double perSecond, Instant now) {
    double seconds = 0;
    double left = credit;
    for (Wallet wallet : wallets) {
      double end = Duration.between(now, wallet.expiresAt()).toMillis() / 1e3;
      if (end <= 0) {
        continue; // what has expired is no part of the credit
      }
      double spent = Math.min(wallet.rest().value(), Math.max(0, end - seconds) * perSecond);
      if (spent >= left) {
        return seconds + left / perSecond;
      }
      seconds += spent / perSecond;
      left -= wallet.rest().value();
      if (left <= 0) {
        return seconds;
      }
    }
    return seconds + left / perSecond;
  }
}
