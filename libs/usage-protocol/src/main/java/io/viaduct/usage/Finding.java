package io.viaduct.usage;

import java.util.Optional;

/// A broken rule of a report.
///
/// @param flaw the rule
/// @param detail value and rule in words, without a secret
public record Finding(ReportFlaw flaw, String detail) {
  static Optional<Finding> of(ReportFlaw flaw, String detail) {
    return Optional.of(new Finding(flaw, detail));
  }
}
