package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.usage.v1.CreditResult;
import org.jspecify.annotations.Nullable;

/// The credit of an account at one moment, and the parts that it comes from.
///
/// @param access whether it may have quotas at all
/// @param balance sum of its postings
/// @param limit how far the balance may go below zero
/// @param caps the user's own caps
/// @param spentToday charges of this day (UTC)
/// @param spentThisMonth charges of this month (UTC)
/// @param reserved sum of the reservations
/// @param state as last noticed
/// @param reachedCap cap of the present day or month that was noticed as reached; null for none
/// @param rulesVersion version of limit, caps and threshold
/// @param low credit below which the user wants to be told; null for the operator's threshold
/// @param expired rest of wallets whose time is over, which only pay use from before
public record AccountCredit(
    String account,
    Access access,
    MicroDenarii balance,
    MicroDenarii limit,
    Caps caps,
    MicroDenarii spentToday,
    MicroDenarii spentThisMonth,
    MicroDenarii reserved,
    CreditState state,
    @Nullable ReachedCap reachedCap,
    long rulesVersion,
    @Nullable MicroDenarii low,
    MicroDenarii expired) {
  /// Right of an account to quotas.
  public enum Access {
    OPEN,
    /// The operator has blocked it. It may register, and its sessions stay.
    BLOCKED,
    SUSPENDED,
    CLOSED
  }

  /// The most that a user wants to spend.
  ///
  /// @param day per day (UTC), null for no cap
  /// @param month per month (UTC), null for no cap
  public record Caps(@Nullable MicroDenarii day, @Nullable MicroDenarii month) {
    public static final Caps NONE = new Caps(null, null);

    @Nullable MicroDenarii of(ReachedCap.Period period) {
      return period == ReachedCap.Period.DAY ? day : month;
    }
  }

  /// Returns true if the account may have quotas.
  public boolean isActive() {
    return access == Access.OPEN;
  }

  /// Returns balance and credit limit without expired wallets, which count for nothing new.
  public MicroDenarii credit() {
    return balance.plus(limit).minus(expired);
  }

  /// Returns the credit that is not reserved; below zero after an overdraft.
  public MicroDenarii available() {
    return credit().minus(reserved);
  }

  /// Returns the amount that may still be reserved: the available credit, within the caps.
  MicroDenarii spendable() {
    MicroDenarii rest = available();
    rest = within(rest, caps.day(), spentToday);
    return within(rest, caps.month(), spentThisMonth);
  }

  /// Returns why new traffic is refused.
  public Refusal refusal() {
    return switch (access) {
      case BLOCKED -> Refusal.BLOCKED;
      case SUSPENDED -> Refusal.SUSPENDED;
      case CLOSED -> Refusal.CLOSED;
      case OPEN -> refusalOfMoney();
    };
  }

  private Refusal refusalOfMoney() {
    if (credit().value() <= 0 || state == CreditState.EXHAUSTED) {
      return Refusal.CREDIT;
    }
    if (reachedCap != null) {
      return reachedCap.period() == ReachedCap.Period.DAY ? Refusal.CAP_DAY : Refusal.CAP_MONTH;
    }
    return Refusal.NONE;
  }

  /// Returns what is left of a cap, reserved or not; null without such a cap.
  @Nullable MicroDenarii left(ReachedCap.Period period) {
    MicroDenarii cap = caps.of(period);
    return cap == null
        ? null
        : cap.minus(period == ReachedCap.Period.DAY ? spentToday : spentThisMonth);
  }

  private MicroDenarii within(MicroDenarii rest, @Nullable MicroDenarii cap, MicroDenarii spent) {
    if (cap == null) {
      return rest;
    }
    MicroDenarii left = cap.minus(spent).minus(reserved);
    return left.compareTo(rest) < 0 ? left : rest;
  }

  /// Returns the result of a request that cannot be paid.
  CreditResult shortage() {
    return spendable().compareTo(available()) < 0
        ? CreditResult.SPENDING_CAP_REACHED
        : CreditResult.CREDIT_LIMIT_REACHED;
  }

  /// Returns the credit after a reservation has changed.
  AccountCredit reserving(MicroDenarii before, MicroDenarii after) {
    return new AccountCredit(
        account,
        access,
        balance,
        limit,
        caps,
        spentToday,
        spentThisMonth,
        reserved.minus(before).plus(after),
        state,
        reachedCap,
        rulesVersion,
        low,
        expired);
  }
}
