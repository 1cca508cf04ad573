package io.viaduct.billing.tariff;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The terms of a report, with the versions that they come from.
///
/// @param tariff version of the tariff
/// @param surcharge version of the surcharge of the SNAPT's owner; null if there is none
public record TermsInForce(TariffVersion tariff, @Nullable SurchargeVersion surcharge) {
  /// Returns the terms themselves.
  public Terms terms() {
    return new Terms(tariff.tariff(), surcharge == null ? Surcharge.NONE : surcharge.surcharge());
  }

  /// Everything that may be in force for the SNAPTs of some owners, at one moment of the database.
  public static final class Known {
    private final List<TariffVersion> tariffs;
    private final Map<String, List<SurchargeVersion>> surcharges;

    private Known(List<TariffVersion> tariffs, Map<String, List<SurchargeVersion>> surcharges) {
      this.tariffs = tariffs;
      this.surcharges = surcharges;
    }

    /// Reads the versions.
    public static Known of(
        TariffBook tariffs, SurchargeBook surcharges, Collection<String> owners) {
      return new Known(tariffs.versions(), surcharges.of(owners));
    }

    /// Returns what was in force at the start of an interval.
    public TermsInForce at(String owner, Instant start) {
      return new TermsInForce(
          TariffBook.inForce(tariffs, start),
          SurchargeBook.inForce(surcharges.getOrDefault(owner, List.of()), start));
    }

    /// Returns the tariff in force at a time.
    public Tariff tariffAt(Instant time) {
      return TariffBook.inForce(tariffs, time).tariff();
    }

    /// Returns all terms that were or are in force at some moment between two times.
    public List<Terms> between(String owner, Instant from, Instant to) {
      List<SurchargeVersion> asked = surcharges.getOrDefault(owner, List.of());
      return Stream.concat(
              Stream.of(from),
              Stream.concat(
                      tariffs.stream().map(TariffVersion::effectiveFrom),
                      asked.stream().map(SurchargeVersion::effectiveFrom))
                  .filter(change -> change.isAfter(from) && !change.isAfter(to)))
          .map(moment -> at(owner, moment).terms())
          .toList();
    }
  }
}
