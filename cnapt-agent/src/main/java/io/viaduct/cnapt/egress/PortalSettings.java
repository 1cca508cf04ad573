package io.viaduct.cnapt.egress;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

/// The configuration keys `portal: …`.
///
/// @param probe `snapt` for the page of the SNAPTs that are known, or a page of the Internet that
///   answers 204 without content; if empty, no portal is looked for
/// @param interval time between probes while the tunnel carries nothing
public record PortalSettings(String probe, Duration interval) {
  private static final String SNAPT = "snapt";

  /// Checks the page and the time.
  public PortalSettings {
    if (!probe.isEmpty() && !probe.equals(SNAPT)) {
      URI page;
      try {
        page = new URI(probe);
      } catch (URISyntaxException e) {
        throw refused(probe);
      }
      // A portal can answer only what is not encrypted.
      if (!"http".equals(page.getScheme()) || page.getHost() == null) {
        throw refused(probe);
      }
    }
    if (interval.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("interval must be at least 1s, got " + interval);
    }
  }

  private static IllegalArgumentException refused(String probe) {
    return new IllegalArgumentException(
        "probe must be snapt, a page such as http://host/generate_204, without TLS, or empty, got '"
            + probe
            + "'");
  }

  /// Returns whether a portal is looked for.
  public boolean looks() {
    return !probe.isEmpty();
  }

  /// Returns whether SNAPTs are asked.
  public boolean asksSnapts() {
    return probe.equals(SNAPT);
  }
}
