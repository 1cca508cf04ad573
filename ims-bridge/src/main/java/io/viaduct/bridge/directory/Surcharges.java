package io.viaduct.bridge.directory;

import io.viaduct.usage.v1.SurchargeTerms;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/// The surcharge of a SNAPT's owner: the version in force and all later ones, as billing has them.
/// The bridge applies each at its time, so it needs no message when one begins.
///
/// @param versions in any order
public record Surcharges(List<Version> versions) {
  /// An owner that asks for nothing.
  public static final Surcharges NONE = new Surcharges(List.of());

  /// One version.
  ///
  /// @param microdenarii per gigabyte of inner bytes, by class: LT&LD, HT&LD, LT&HD, HT&HD
  public record Version(int number, Instant from, List<Long> microdenarii) {
    /// Copies the amounts.
    public Version {
      microdenarii = List.copyOf(microdenarii);
    }
  }

  /// Copies the versions.
  public Surcharges {
    versions = List.copyOf(versions);
  }

  /// Reads the versions of a message.
  public static Surcharges of(List<SurchargeTerms> terms) {
    return new Surcharges(
        terms.stream()
            .map(each ->
                new Version(
                    each.getVersion(),
                    Instant.ofEpochMilli(each.getFromMs()),
                    each.getMicrodenariiPerGigabyteList()))
            .toList());
  }

  /// Returns the amounts in force at a time, in micro-denarii per gigabyte by class; empty if
  /// nothing is asked.
  public List<Long> at(Instant time) {
    return versions.stream()
        .filter(each -> !each.from().isAfter(time))
        .max(Comparator.comparing(Version::from).thenComparing(Version::number))
        .map(Version::microdenarii)
        .filter(amounts -> amounts.stream().anyMatch(amount -> amount != 0))
        .orElse(List.of());
  }
}
