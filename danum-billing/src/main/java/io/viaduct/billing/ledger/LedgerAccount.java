package io.viaduct.billing.ledger;

/// An account of the ledger. Balances may be of either sign: a top-up makes ISSUANCE negative.
///
/// @param kind what it is for
/// @param holder whose it is; empty where there is one of its kind
public record LedgerAccount(Kind kind, String holder) {
  /// Kinds of accounts, as stored.
  public enum Kind {
    /// money of a user: payer, and later also the earnings of a relaying neighbour
    USER,
    /// charges that are posted and not yet settled
    CLEARING,
    /// fees of an owner of SNAPTs
    PROVIDER,
    /// what the operator earns, gives back and adjusts
    OPERATOR,
    /// where topped-up money comes from
    ISSUANCE
  }

  public static final LedgerAccount CLEARING = new LedgerAccount(Kind.CLEARING, "");
  public static final LedgerAccount ISSUANCE = new LedgerAccount(Kind.ISSUANCE, "");
  public static final LedgerAccount REVENUE = new LedgerAccount(Kind.OPERATOR, "REVENUE");
  public static final LedgerAccount DISCOUNT = new LedgerAccount(Kind.OPERATOR, "DISCOUNT");
  public static final LedgerAccount ADJUSTMENT = new LedgerAccount(Kind.OPERATOR, "ADJUSTMENT");

  public static LedgerAccount user(String id) {
    return new LedgerAccount(Kind.USER, id);
  }

  public static LedgerAccount provider(String owner) {
    return new LedgerAccount(Kind.PROVIDER, owner);
  }

  /// The name under which it is stored, e.g. `USER:alice`.
  public String name() {
    return holder.isEmpty() ? kind.name() : kind.name() + ":" + holder;
  }
}
