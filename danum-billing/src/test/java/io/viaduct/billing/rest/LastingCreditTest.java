package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.credit.AccountCredit;
import io.viaduct.billing.credit.CreditState;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LastingCreditTest {
  private static final Instant NOW = Instant.parse("2026-11-28T06:00:00Z");
  private static final long HOUR = 3600;

  private static MicroDenarii denarii(long amount) {
    return MicroDenarii.ofDenarii(amount);
  }

  private static AccountCredit credit(long denarii, @Nullable MicroDenarii dayCap) {
    return new AccountCredit(
        "alice",
        AccountCredit.Access.OPEN,
        denarii(denarii),
        MicroDenarii.ZERO,
        new AccountCredit.Caps(dayCap, null),
        denarii(1),
        denarii(1),
        MicroDenarii.ZERO,
        CreditState.SUFFICIENT,
        null,
        1,
        null,
        MicroDenarii.ZERO);
  }

  private static Wallet wallet(long rest, Duration until) {
    return new Wallet(
        1,
        "alice",
        Wallet.Kind.GRANT,
        denarii(100),
        denarii(rest),
        NOW.minusSeconds(60),
        NOW.plus(until),
        false,
        "test");
  }

  private static long seconds(long credit, Wallet... wallets) {
    return LastingCredit.seconds(credit(credit, null), List.of(wallets), 10_000_000, NOW);
  }

  @Test
  void theRateIsThatOfWhatRunsNowIfItsCostIsMoreThanTheLastHours() {
    // Five minutes of a video of 1 den per minute.
    assertThat(LastingCredit.perHour(denarii(5), denarii(1), denarii(5), NOW))
        .isEqualTo(60_000_000);
    assertThat(LastingCredit.perHour(denarii(80), denarii(1), denarii(80), NOW))
        .isEqualTo(80_000_000);
  }

  @Test
  void afterAQuietHourTheRateIsTheMeanOfTheDay() {
    assertThat(LastingCredit.perHour(MicroDenarii.ZERO, MicroDenarii.ZERO, denarii(12), NOW))
        .isEqualTo(2_000_000);
    assertThat(LastingCredit.perHour(MicroDenarii.ZERO, MicroDenarii.ZERO, MicroDenarii.ZERO, NOW))
        .isZero();
  }

  @Test
  void creditLastsUntilItOrTheCapIsUsedUp() {
    assertThat(seconds(20)).isEqualTo(2 * HOUR);
    assertThat(LastingCredit.seconds(credit(20, denarii(6)), List.of(), 10_000_000, NOW))
        .isEqualTo(HOUR / 2);
    assertThat(seconds(-20)).isZero();
  }

  @Test
  void theRestOfAWalletCountsUntilItExpires() {
    // 20 den, of which 15 expire in half an hour: 5 of them are spent, and 5 prepaid ones after.
    assertThat(seconds(20, wallet(15, Duration.ofMinutes(30)))).isEqualTo(HOUR);
    assertThat(seconds(20, wallet(15, Duration.ofDays(30)))).isEqualTo(2 * HOUR);
    assertThat(seconds(20, wallet(20, Duration.ofMinutes(30)))).isEqualTo(HOUR / 2);
    assertThat(seconds(5, wallet(15, Duration.ofMinutes(-1))))
        .as("an expired wallet is no part of the credit")
        .isEqualTo(HOUR / 2);
    // The second wallet is touched after the first one has ended.
    assertThat(seconds(30, wallet(15, Duration.ofMinutes(30)), wallet(15, Duration.ofHours(1))))
        .isEqualTo(HOUR);
  }
}
