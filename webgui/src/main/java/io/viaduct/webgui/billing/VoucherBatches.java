package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A page of batches, latest first.
///
/// @param next cursor of the next page
public record VoucherBatches(List<VoucherBatch> batches, @Nullable String next) {
  public VoucherBatches {
    batches = List.copyOf(batches);
  }
}
