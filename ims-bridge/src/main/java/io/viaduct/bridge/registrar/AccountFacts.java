package io.viaduct.bridge.registrar;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The state of an account, as billing says. Amounts are in micro-denarii.
///
/// @param balance sum of the postings
/// @param available balance and credit limit less reservations; below zero after an overdraft
/// @param spentToday charges of this day (UTC)
/// @param threshold credit below it is low
/// @param tariff the version in force
/// @param next the next version that is announced
/// @param reports the latest reports, as many as were asked for, the latest first
public record AccountFacts(
    long balance,
    long available,
    long spentToday,
    CreditState credit,
    long threshold,
    TariffInForce tariff,
    Optional<TariffInForce> next,
    List<Reported> reports) {
  public AccountFacts {
    reports = List.copyOf(reports);
  }

  /// A report that was charged.
  ///
  /// @param bytes of both directions, before aggregation
  /// @param net what it costs, micro-denarii
  public record Reported(Instant start, Instant end, long bytes, long net) {}

  /// A version of the tariff and its begin.
  public record TariffInForce(int version, Instant effectiveFrom) {}

  /// Asks billing how accounts stand.
  @FunctionalInterface
  public interface Source {
    /// Asks about one account. The future fails if billing does not answer in time, if too many
    /// questions wait, or if billing does not know the account. It ends on any thread.
    ///
    /// @param reports how many of the latest reports to ask for, 0 to 10
    CompletableFuture<AccountFacts> ask(String user, int reports);
  }
}
