package io.viaduct.billing.voucher;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// Vouchers that were made together.
///
/// @param id number of the batch, printed on its vouchers
/// @param vouchers how many there are
/// @param amount amount of each one
/// @param note for operators, e.g. who sells them
/// @param open how many may still be redeemed
/// @param redeemed how many were redeemed
/// @param expired how many ended with their expiry
/// @param returned how many an operator took back
public record VoucherBatch(
    long id,
    int vouchers,
    MicroDenarii amount,
    Instant expiresAt,
    String note,
    String madeBy,
    Instant madeAt,
    int open,
    int redeemed,
    int expired,
    int returned) {
  /// Returns the number that is printed on a voucher, such as `12-7`.
  ///
  /// @param number number of the voucher in its batch
  public static String serial(long batch, int number) {
    return batch + "-" + number;
  }
}
