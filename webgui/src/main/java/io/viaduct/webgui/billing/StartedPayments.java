package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A page of the payments of an account at the provider, latest first.
///
/// @param isPossible true if there is a provider
/// @param next cursor of the next page
public record StartedPayments(
    List<StartedPayment> payments,
    @JsonProperty("possible") boolean isPossible,
    MicroDenarii leastMicrodenarii,
    MicroDenarii mostMicrodenarii,
    @Nullable String next) {
  public StartedPayments {
    payments = List.copyOf(payments);
  }
}
