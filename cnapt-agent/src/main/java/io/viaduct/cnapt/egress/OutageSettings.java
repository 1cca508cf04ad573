package io.viaduct.cnapt.egress;

import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.HeaderMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The configuration keys `outage: …`: traffic that may leave outside the tunnel while the tunnel
/// carries nothing.
///
/// @param direct names of applications, or `*` for all traffic; everything else waits for the
///   tunnel
/// @param after time without the tunnel before this traffic is let out
public record OutageSettings(List<String> direct, Duration after) {
  private static final String ALL = "*";
  private static final int SELECTORS_MAX = 64;

  /// Checks the time.
  public OutageSettings {
    direct = List.copyOf(direct);
    if (after.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException(
          "after must be at least 1s, because a change of network takes that long, got " + after);
    }
  }

  /// Returns the selectors of policy rules for the traffic that may leave directly.
  ///
  /// @param classifier table of applications
  /// @throws IllegalArgumentException for an application that is unknown, or that the kernel cannot
  ///   recognise
  public List<String> selectors(Classifier classifier) {
    if (direct.contains(ALL)) {
      return List.of("from all");
    }
    List<String> selectors = new ArrayList<>();
    for (String name : direct) {
      if (!classifier.names().contains(name)) {
        throw new IllegalArgumentException(
            "outage.direct: unknown application '%s'; known: *, %s"
                .formatted(name, String.join(", ", classifier.names())));
      }
      List<HeaderMatch> matches = classifier.headerMatches(name);
      if (matches.isEmpty()) {
        throw new IllegalArgumentException(
            "outage.direct: '%s' has no line by protocol and ports alone in the table of"
                    .formatted(name)
                + " applications, and the kernel recognises no others: name its users in"
                + " split-tunnel.users, or use '*'");
      }
      matches.forEach(match -> selectors.add(selector(match)));
    }
    if (selectors.size() > SELECTORS_MAX) {
      throw new IllegalArgumentException(
          "outage.direct: the applications have %d combinations of ports, at most %d are possible"
              .formatted(selectors.size(), SELECTORS_MAX));
    }
    return List.copyOf(selectors);
  }

  private static String selector(HeaderMatch match) {
    return "ipproto "
        + match.protocol()
        + match.port().map(range -> " dport " + range).orElse("")
        + match.localPort().map(range -> " sport " + range).orElse("");
  }
}
