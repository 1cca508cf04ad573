package io.viaduct.billing.ledger;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A transaction of the ledger. It is posted completely or not at all, only once per identity, and
/// its postings sum to zero.
///
/// @param kind kind of the transaction
/// @param identity identity given by the caller; the database refuses a second transaction with it
/// @param intervalId id of the billed charging interval, or null
/// @param note text for people: key of the interval, reference of the top-up
/// @param postings postings without zero amounts; empty if no money moves
public record LedgerTransaction(
    Kind kind, String identity, @Nullable Long intervalId, String note, List<Posting> postings) {
  /// Kinds of transactions, as stored.
  public enum Kind {
    TOP_UP,
    PROVISIONAL,
    CORRECTION,
    SETTLEMENT,
    ADJUSTMENT,
    /// Money that an operator gives, e.g. as compensation.
    CREDIT,
    /// Repayment of a charge, or of a part of it, by an operator.
    REFUND,
    /// Reverses a provisional transaction.
    REVERSAL,
    /// Difference between two bills of an interval.
    RERATING,
    /// Rewards of the relays of an interval.
    RELAY,
    /// Seconds of a call that another node has counted.
    CALL,
    /// Money that expires, given by an operator.
    GRANT,
    /// Takes back the rest of a grant that has ended.
    EXPIRY,
    /// Gives back what was paid above a cap.
    CAP,
    /// Sum of the postings of an account in months that were dropped.
    CARRY_FORWARD,
    /// Vouchers that were sold.
    VOUCHER_SALE,
    /// A voucher that a user has redeemed.
    VOUCHER_REDEMPTION,
    /// Vouchers that nobody redeemed in time.
    VOUCHER_EXPIRY,
    /// Vouchers that an operator has taken back.
    VOUCHER_RETURN
  }

  /// One line of a transaction.
  ///
  /// @param amount amount that the account gains; negative if it loses
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

  /// Returns true if no money moves, as for an interval that cost nothing.
  public boolean isEmpty() {
    return postings.isEmpty();
  }

  /// Returns a top-up: USER +X, ISSUANCE -X.
  public static LedgerTransaction topUp(
      String key, String user, MicroDenarii amount, String reference) {
    return new LedgerTransaction(
        Kind.TOP_UP,
        "top-up:" + key,
        null,
        reference,
        move(LedgerAccount.ISSUANCE, LedgerAccount.user(user), amount).toList());
  }

  /// Returns a credit or refund: USER +X, OPERATOR:ADJUSTMENT -X. It belongs to no interval, so the
  /// amounts of a charge never change.
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

  /// Returns a grant: USER +X, OPERATOR:GRANTS -X.
  public static LedgerTransaction grant(
      String key, String user, MicroDenarii amount, String reason) {
    return new LedgerTransaction(
        Kind.GRANT,
        key,
        null,
        reason,
        move(LedgerAccount.GRANTS, LedgerAccount.user(user), amount).toList());
  }

  /// Returns the expiry of a wallet: USER -X, OPERATOR:GRANTS +X.
  ///
  /// @param rest what is left of the wallet
  public static LedgerTransaction expiry(long wallet, String user, MicroDenarii rest) {
    return new LedgerTransaction(
        Kind.EXPIRY,
        "expiry:" + wallet,
        null,
        "wallet " + wallet,
        move(LedgerAccount.user(user), LedgerAccount.GRANTS, rest).toList());
  }

  /// Returns the sale of vouchers: VOUCHERS +X, ISSUANCE -X.
  ///
  /// @param sum amount of all of them
  public static LedgerTransaction voucherSale(String key, MicroDenarii sum, String note) {
    return new LedgerTransaction(
        Kind.VOUCHER_SALE,
        "voucher-sale:" + key,
        null,
        note,
        move(LedgerAccount.ISSUANCE, LedgerAccount.VOUCHERS, sum).toList());
  }

  /// Returns the redemption of a voucher: USER +X, VOUCHERS -X.
  public static LedgerTransaction voucherRedemption(
      long voucher, String user, MicroDenarii amount, String note) {
    return new LedgerTransaction(
        Kind.VOUCHER_REDEMPTION,
        "voucher:" + voucher,
        null,
        note,
        move(LedgerAccount.VOUCHERS, LedgerAccount.user(user), amount).toList());
  }

  /// Returns the expiry of open vouchers of a batch: OPERATOR:BREAKAGE +X, VOUCHERS -X.
  public static LedgerTransaction voucherExpiry(long batch, MicroDenarii sum, String note) {
    return new LedgerTransaction(
        Kind.VOUCHER_EXPIRY,
        "voucher-expiry:" + batch,
        null,
        note,
        move(LedgerAccount.VOUCHERS, LedgerAccount.BREAKAGE, sum).toList());
  }

  /// Returns the return of open vouchers of a batch: ISSUANCE +X, VOUCHERS -X.
  public static LedgerTransaction voucherReturn(long batch, MicroDenarii sum, String note) {
    return new LedgerTransaction(
        Kind.VOUCHER_RETURN,
        "voucher-return:" + batch,
        null,
        note,
        move(LedgerAccount.VOUCHERS, LedgerAccount.ISSUANCE, sum).toList());
  }

  /// Returns what was paid above a cap: USER +X, OPERATOR:ADJUSTMENT -X.
  public static LedgerTransaction capCredit(
      String key, String user, MicroDenarii amount, String text) {
    return new LedgerTransaction(
        Kind.CAP,
        "cap:" + key,
        null,
        text,
        move(LedgerAccount.ADJUSTMENT, LedgerAccount.user(user), amount).toList());
  }

  /// A billed interval.
  ///
  /// @param id id of the interval
  /// @param key its key as text
  /// @param payer user who pays
  /// @param owner owner of the SNAPT
  /// @param lines the bill
  public record Billed(long id, String key, String payer, String owner, BillLines lines) {}

  /// Returns the transaction of a signed report in time. Each line of the bill has its own
  /// postings:
  ///
  /// | line | from | to |
  /// |---|---|---|
  /// | charge, surcharge | USER | CLEARING |
  /// | access fee | USER | OPERATOR:FEES |
  /// | discount | OPERATOR:DISCOUNT | USER |
  /// | reward | OPERATOR:DISCOUNT | PROVIDER |
  /// | refund | OPERATOR:ADJUSTMENT | USER |
  public static LedgerTransaction correction(Billed interval) {
    return report(Kind.CORRECTION, interval, LedgerAccount.CLEARING);
  }

  /// Returns the transaction of a signed report after the grace time. It is a [#correction] with
  /// OPERATOR:ADJUSTMENT in place of CLEARING, because late reports are not settled.
  public static LedgerTransaction adjustment(Billed interval) {
    return report(Kind.ADJUSTMENT, interval, LedgerAccount.ADJUSTMENT);
  }

  /// Returns the transaction of a report without receipt. Its postings are those of a report with
  /// receipt; only the kind differs.
  ///
  /// @param isLate true if the report came after the grace time
  public static LedgerTransaction provisional(Billed interval, boolean isLate) {
    return report(Kind.PROVISIONAL, interval, counterpart(isLate));
  }

  /// Returns the transaction that reverses a provisional one, line by line.
  ///
  /// @param isLate as in the provisional transaction
  public static LedgerTransaction reversal(Billed interval, boolean isLate) {
    return new LedgerTransaction(
        Kind.REVERSAL,
        "reversal:" + interval.key(),
        interval.id(),
        interval.key(),
        provisional(interval, isLate).postings().stream()
            .map(posting -> new Posting(posting.account(), posting.amount().negated()))
            .toList());
  }

  /// Returns the transaction of a revision: the postings of a report, for the difference of two
  /// bills.
  ///
  /// @param difference the interval, with the new bill less the one before
  /// @param revision number of the new bill
  /// @param isLate as in the transaction of the report
  public static LedgerTransaction rerating(Billed difference, int revision, boolean isLate) {
    return billed(
        Kind.RERATING,
        "rerating:" + difference.key() + "#" + revision,
        difference,
        counterpart(isLate));
  }

  /// Returns the transaction that takes back all revisions of a void interval, so that its
  /// [#reversal] is that of the report's bill.
  ///
  /// @param difference the interval, with the report's bill less the newest one
  public static LedgerTransaction withdrawnRevisions(Billed difference, boolean isLate) {
    return billed(
        Kind.RERATING, "rerating:" + difference.key() + "#void", difference, counterpart(isLate));
  }

  /// Returns the settlement of the difference of two bills of an interval that was settled before.
  ///
  /// @param difference the interval, with the new bill less the one before
  /// @param fee the provider's fee of the new bill, less that of the one before
  public static LedgerTransaction resettlement(Billed difference, int revision, MicroDenarii fee) {
    return settlement("settlement:" + difference.key() + "#" + revision, difference, fee);
  }

  private static LedgerAccount counterpart(boolean isLate) {
    return isLate ? LedgerAccount.ADJUSTMENT : LedgerAccount.CLEARING;
  }

  /// Returns a settlement: CLEARING -C, PROVIDER +F, OPERATOR:REVENUE C - F; CLEARING -S, PROVIDER
  /// +S. C is the charge, S the surcharge, F the provider's fee.
  public static LedgerTransaction settlement(Billed interval, MicroDenarii fee) {
    return settlement("settlement:" + interval.key(), interval, fee);
  }

  private static LedgerTransaction settlement(String identity, Billed interval, MicroDenarii fee) {
    MicroDenarii charge = interval.lines().charge();
    LedgerAccount provider = LedgerAccount.provider(interval.owner());
    return new LedgerTransaction(
        Kind.SETTLEMENT,
        identity,
        interval.id(),
        interval.key(),
        Stream.concat(
                Stream.of(
                    new Posting(LedgerAccount.CLEARING, charge.negated()),
                    new Posting(provider, fee),
                    new Posting(LedgerAccount.REVENUE, charge.minus(fee))),
                move(LedgerAccount.CLEARING, provider, interval.lines().surcharge()))
            .toList());
  }

  /// Returns rewards of relays: OPERATOR:REVENUE -R, USER of each relay +R. Its receipts name
  /// neither the payer nor the session.
  ///
  /// @param rewards by account; negative if a re-rating takes a part back
  public static LedgerTransaction relayRewards(
      String identity, long intervalId, String snapt, Map<String, MicroDenarii> rewards) {
    return new LedgerTransaction(
        Kind.RELAY,
        identity,
        intervalId,
        "relayed to " + snapt,
        rewards.entrySet().stream()
            .flatMap(reward ->
                move(LedgerAccount.REVENUE, LedgerAccount.user(reward.getKey()), reward.getValue()))
            .toList());
  }

  /// Returns the charge of seconds of a call: USER -X, OPERATOR:FEES +X.
  ///
  /// @param key request of the node that counted them
  public static LedgerTransaction call(
      String key, String user, MicroDenarii amount, String reason) {
    return new LedgerTransaction(
        Kind.CALL,
        "call:" + key,
        null,
        reason,
        move(LedgerAccount.user(user), LedgerAccount.FEES, amount).toList());
  }

  // All kinds share the identity, so that an interval is billed only once, in time or late.
  private static LedgerTransaction report(Kind kind, Billed interval, LedgerAccount counterpart) {
    return billed(kind, "report:" + interval.key(), interval, counterpart);
  }

  private static LedgerTransaction billed(
      Kind kind, String identity, Billed interval, LedgerAccount counterpart) {
    LedgerAccount payer = LedgerAccount.user(interval.payer());
    BillLines lines = interval.lines();
    return new LedgerTransaction(
        kind,
        identity,
        interval.id(),
        interval.key(),
        Stream.of(
                move(payer, counterpart, lines.charge()),
                move(LedgerAccount.DISCOUNT, payer, lines.discount()),
                move(
                    LedgerAccount.DISCOUNT,
                    LedgerAccount.provider(interval.owner()),
                    lines.reward()),
                move(payer, LedgerAccount.FEES, lines.accessFee()),
                move(payer, counterpart, lines.surcharge()),
                move(LedgerAccount.ADJUSTMENT, payer, lines.refund()))
            .flatMap(line -> line)
            .toList());
  }

  private static Stream<Posting> move(LedgerAccount from, LedgerAccount to, MicroDenarii amount) {
    return Stream.of(new Posting(from, amount.negated()), new Posting(to, amount));
  }
}
