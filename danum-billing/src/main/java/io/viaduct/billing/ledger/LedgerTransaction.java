package io.viaduct.billing.ledger;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A transaction to be posted: whole or not at all, once for its identity, and summing to zero.
///
/// @param kind what it is
/// @param identity from the caller; the database refuses a second one
/// @param intervalId the charging interval that it bills, if it bills one
/// @param note for people: the key of the interval, the reference of a top-up
/// @param postings without zero amounts; empty where nothing is to be moved
public record LedgerTransaction(
    Kind kind, String identity, @Nullable Long intervalId, String note, List<Posting> postings) {
  /// Kinds of transactions, as stored.
  public enum Kind {
    TOP_UP,
    PROVISIONAL,
    CORRECTION,
    SETTLEMENT,
    ADJUSTMENT,
    /// given by an operator, e.g. as an excuse
    CREDIT,
    /// part of a charge, or all of it, given back by an operator
    REFUND,
    /// takes a provisional transaction back
    REVERSAL
  }

  /// One line: what an account gains (or, negative, loses).
  public record Posting(LedgerAccount account, MicroDenarii amount) {}

  public LedgerTransaction {
    postings = postings.stream().filter(p -> !p.amount().isZero()).toList();
    long sum = 0;
    for (Posting posting : postings) {
      sum = Math.addExact(sum, posting.amount().value());
    }
    if (sum != 0) {
      throw new IllegalStateException(identity + " must sum to 0, sums to " + sum);
    }
  }

  /// Nothing moves: an interval that cost nothing.
  public boolean isEmpty() {
    return postings.isEmpty();
  }

  /// USER +X, ISSUANCE -X.
  public static LedgerTransaction topUp(
      String key, String user, MicroDenarii amount, String reference) {
    return new LedgerTransaction(
        Kind.TOP_UP,
        "top-up:" + key,
        null,
        reference,
        move(LedgerAccount.ISSUANCE, LedgerAccount.user(user), amount).toList());
  }

  /// USER +X, OPERATOR:ADJUSTMENT -X. It bills no interval: what was charged stays charged.
  ///
  /// @param kind [Kind#CREDIT] or [Kind#REFUND]
  public static LedgerTransaction credit(
      Kind kind, String key, String user, MicroDenarii amount, String reason) {
    return new LedgerTransaction(
        kind,
        "credit:" + key,
        null,
        reason,
        move(LedgerAccount.ADJUSTMENT, LedgerAccount.user(user), amount).toList());
  }

  /// USER -C, CLEARING +C; USER +D, OPERATOR:DISCOUNT -D, where nothing was posted before.
  public static LedgerTransaction correction(
      long intervalId, String key, String user, MicroDenarii charge, MicroDenarii discount) {
    return billed(Kind.CORRECTION, intervalId, key, user, LedgerAccount.CLEARING, charge, discount);
  }

  /// A report after the grace time: what clearing would have taken goes to OPERATOR:ADJUSTMENT.
  public static LedgerTransaction adjustment(
      long intervalId, String key, String user, MicroDenarii charge, MicroDenarii discount) {
    return billed(
        Kind.ADJUSTMENT, intervalId, key, user, LedgerAccount.ADJUSTMENT, charge, discount);
  }

  /// A report without receipt: posted as one with it, under another name.
  ///
  /// @param late whether it came after the grace time
  public static LedgerTransaction provisional(
      long intervalId,
      String key,
      String user,
      boolean late,
      MicroDenarii charge,
      MicroDenarii discount) {
    return billed(Kind.PROVISIONAL, intervalId, key, user, counterpart(late), charge, discount);
  }

  /// Takes a provisional transaction back, line by line.
  ///
  /// @param late as the provisional one was
  public static LedgerTransaction reversal(
      long intervalId,
      String key,
      String user,
      boolean late,
      MicroDenarii charge,
      MicroDenarii discount) {
    LedgerAccount payer = LedgerAccount.user(user);
    return new LedgerTransaction(
        Kind.REVERSAL,
        "reversal:" + key,
        intervalId,
        key,
        Stream.concat(
                move(counterpart(late), payer, charge),
                move(payer, LedgerAccount.DISCOUNT, discount))
            .toList());
  }

  private static LedgerAccount counterpart(boolean late) {
    return late ? LedgerAccount.ADJUSTMENT : LedgerAccount.CLEARING;
  }

  /// CLEARING -C, PROVIDER +F, the rest OPERATOR:REVENUE.
  public static LedgerTransaction settlement(
      long intervalId, String key, String owner, MicroDenarii charge, MicroDenarii fee) {
    return new LedgerTransaction(
        Kind.SETTLEMENT,
        "settlement:" + key,
        intervalId,
        key,
        List.of(
            new Posting(LedgerAccount.CLEARING, charge.negated()),
            new Posting(LedgerAccount.provider(owner), fee),
            new Posting(LedgerAccount.REVENUE, charge.minus(fee))));
  }

  private static LedgerTransaction billed(
      Kind kind,
      long intervalId,
      String key,
      String user,
      LedgerAccount counterpart,
      MicroDenarii charge,
      MicroDenarii discount) {
    LedgerAccount payer = LedgerAccount.user(user);
    return new LedgerTransaction(
        kind,
        // One identity for both: an interval is billed once, in time or late.
        "report:" + key,
        intervalId,
        key,
        Stream.concat(
                move(payer, counterpart, charge), move(LedgerAccount.DISCOUNT, payer, discount))
            .toList());
  }

  private static Stream<Posting> move(LedgerAccount from, LedgerAccount to, MicroDenarii amount) {
    return Stream.of(new Posting(from, amount.negated()), new Posting(to, amount));
  }
}
