package io.viaduct.billing.ledger;

/// The lines of the bill for a flow or for a whole interval. Each is posted by itself.
///
/// @param charge amount owed for the service
/// @param discount amount given to the payer for saved bytes
/// @param reward amount given to the owner of the SNAPT for saved bytes
/// @param accessFee amount owed to the operator for access
/// @param surcharge amount owed to the owner of the SNAPT
/// @param refund amount given back to the payer because a promise was broken
public record BillLines(
    MicroDenarii charge,
    MicroDenarii discount,
    MicroDenarii reward,
    MicroDenarii accessFee,
    MicroDenarii surcharge,
    MicroDenarii refund) {
  public static final BillLines NOTHING =
      new BillLines(
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO);

  /// Returns what is owed before anything is given back.
  public MicroDenarii gross() {
    return charge.plus(accessFee).plus(surcharge);
  }

  /// Returns what the payer pays.
  public MicroDenarii net() {
    return gross().minus(discount).minus(refund);
  }

  /// Returns the lines of the difference; they may be negative.
  public BillLines minus(BillLines other) {
    return new BillLines(
        charge.minus(other.charge),
        discount.minus(other.discount),
        reward.minus(other.reward),
        accessFee.minus(other.accessFee),
        surcharge.minus(other.surcharge),
        refund.minus(other.refund));
  }

  public BillLines plus(BillLines other) {
    return new BillLines(
        charge.plus(other.charge),
        discount.plus(other.discount),
        reward.plus(other.reward),
        accessFee.plus(other.accessFee),
        surcharge.plus(other.surcharge),
        refund.plus(other.refund));
  }
}
