package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Top-ups, or credits and refunds, newest first.
///
/// @param next cursor of the page of older ones, null on the last page
public record PaymentPage(
    @JsonAlias({"topUps", "credits"}) List<Payment> payments, @Nullable String next) {
  public PaymentPage {
    payments = List.copyOf(payments);
  }
}
