package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Charges, newest first.
///
/// @param next cursor of the page of older charges, null on the last page
public record ChargePage(List<Charge> charges, @Nullable String next) {
  public ChargePage {
    charges = List.copyOf(charges);
  }
}
