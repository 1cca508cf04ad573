package io.viaduct.webgui.billing;

import java.util.List;
import java.util.Objects;

/// Vouchers with their codes, which billing tells once.
///
/// @param vouchers empty if an earlier request made them
public record MadeVouchers(VoucherBatch batch, List<Voucher> vouchers) {
  public MadeVouchers {
    Objects.requireNonNull(batch);
    vouchers = List.copyOf(vouchers);
  }

  /// One voucher.
  public record Voucher(String serial, String code) {
    @Override
    public String toString() {
      return "Voucher[" + serial + "]";
    }
  }
}
