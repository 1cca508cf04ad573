package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.CallPrice;
import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.rating.Use;
import io.viaduct.billing.rating.UseBound;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.Terms;
import io.viaduct.billing.tariff.TermsInForce;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The highest prices of applications under all terms that may price the traffic of a quota: its
/// interval may have begun under earlier ones.
///
/// @param known terms of the owners of the SNAPTs
/// @param owners owners of the SNAPTs
/// @param from time of the oldest traffic that is not charged yet
/// @param to end of the quotas
public record HighestPrices(TermsInForce.Known known, Ownership owners, Instant from, Instant to) {
  /// Longest time from now to the end of a quota.
  private static final Duration AHEAD = Duration.ofMinutes(10);

  /// @param oldest age of the oldest traffic that is not charged yet
  public static HighestPrices of(
      TermsInForce.Known known, Ownership owners, Instant now, Duration oldest) {
    return new HighestPrices(known, owners, now.minus(oldest), now.plus(AHEAD));
  }

  /// Returns the highest price of a quota's application at its SNAPT.
  Bound of(Quota quota) {
    return of(quota.session(), quota.application());
  }

  Bound of(SessionKey session, Application application) {
    List<Terms> terms =
        owners.between(session.snapt(), from, to).stream()
            .flatMap(owner -> known.between(owner, from, to).stream())
            .distinct()
            .toList();
    return new Bound(
        session.isCall()
            ? terms.stream().flatMap(each -> CallPrice.of(each.tariff()).stream()).toList()
            : terms.stream()
                .map(each -> HighestPrice.of(each, application.serviceClass(), application.name()))
                .toList());
  }

  /// The highest of several prices.
  record Bound(List<? extends UseBound> prices) {
    /// Returns the most that an amount of use can cost.
    MicroDenarii charge(Use use) {
      return prices.stream()
          .map(price -> price.charge(use))
          .max(MicroDenarii::compareTo)
          .orElse(MicroDenarii.ZERO);
    }
  }
}
