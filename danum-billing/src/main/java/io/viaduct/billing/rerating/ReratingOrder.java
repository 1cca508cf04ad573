package io.viaduct.billing.rerating;

import io.viaduct.billing.tariff.ServiceClass;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An operator's order to make bills of a past time again.
///
/// @param id identity of the run, chosen by the operator: letters, digits, `.`, `_` and `-`
/// @param from intervals that began at or after it are rated again
/// @param to intervals that began before it are rated again
/// @param account null for all accounts
/// @param serviceClass null for all classes; flows of other classes keep their bill
/// @param tariffVersion version of the corrected tariff
/// @param reason text for people, shown to users with each new bill
/// @param createdBy account of the operator
public record ReratingOrder(
    String id,
    Instant from,
    Instant to,
    @Nullable String account,
    @Nullable ServiceClass serviceClass,
    int tariffVersion,
    String reason,
    String createdBy) {
  /// Returns true if another order has the same effect; its author and its reason do not matter.
  boolean isSameAs(ReratingOrder other) {
    return new ReratingOrder(
            id, from, to, account, serviceClass, tariffVersion, other.reason, other.createdBy)
        .equals(other);
  }
}
