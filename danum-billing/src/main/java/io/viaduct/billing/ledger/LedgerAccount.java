package io.viaduct.billing.ledger;

/// An account of the ledger. Its balance may be positive or negative: a top-up makes ISSUANCE
/// negative.
///
/// @param kind purpose of the account
/// @param holder owner of the account; empty if there is only one account of the kind
public record LedgerAccount(Kind kind, String holder) {
  /// Kinds of accounts, as stored.
  public enum Kind {
    /// Money of a user.
    USER,
    /// Charges that are posted and not settled yet.
    CLEARING,
    /// Fees of an owner of SNAPTs.
    PROVIDER,
    /// Revenue, fees, discounts, adjustments and grants of the operator.
    OPERATOR,
    /// Source of topped-up money.
    ISSUANCE,
    /// Vouchers that were sold and are still open: what the operator owes to their bearers.
    VOUCHERS,
    /// Counterpart of what is carried forward from dropped months; its postings sum to 0.
    CARRIED
  }

  public static final LedgerAccount CLEARING = new LedgerAccount(Kind.CLEARING, "");
  public static final LedgerAccount ISSUANCE = new LedgerAccount(Kind.ISSUANCE, "");
  public static final LedgerAccount REVENUE = new LedgerAccount(Kind.OPERATOR, "REVENUE");
  public static final LedgerAccount FEES = new LedgerAccount(Kind.OPERATOR, "FEES");
  public static final LedgerAccount DISCOUNT = new LedgerAccount(Kind.OPERATOR, "DISCOUNT");
  public static final LedgerAccount ADJUSTMENT = new LedgerAccount(Kind.OPERATOR, "ADJUSTMENT");
  public static final LedgerAccount GRANTS = new LedgerAccount(Kind.OPERATOR, "GRANTS");

  public static final LedgerAccount VOUCHERS = new LedgerAccount(Kind.VOUCHERS, "");

  /// Vouchers that nobody redeemed in time.
  public static final LedgerAccount BREAKAGE = new LedgerAccount(Kind.OPERATOR, "BREAKAGE");

  public static LedgerAccount user(String id) {
    return new LedgerAccount(Kind.USER, id);
  }

  public static LedgerAccount provider(String owner) {
    return new LedgerAccount(Kind.PROVIDER, owner);
  }

  /// Returns the name under which the account is stored, e.g. `USER:alice`.
  public String name() {
    return holder.isEmpty() ? kind.name() : kind.name() + ":" + holder;
  }
}
