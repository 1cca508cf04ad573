package io.viaduct.cnapt.egress;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Chooses the page of each probe for a captive portal: the configured one, or those of the SNAPTs
/// that are known, one after the other. A SNAPT that is down must not hide a portal. Owner: the
/// thread of [PortalWatch].
final class ProbedPages {
  private static final String PATH = "/generate_204";

  private final PortalSettings settings;
  private final Supplier<List<String>> snapts;
  private int next;

  /// @param snapts hosts of the SNAPTs that are known
  ProbedPages(PortalSettings settings, Supplier<List<String>> snapts) {
    this.settings = settings;
    this.snapts = snapts;
  }

  /// Returns the page to ask now; empty while no SNAPT is known.
  Optional<URI> next() {
    if (!settings.asksSnapts()) {
      return Optional.of(URI.create(settings.probe()));
    }
    List<String> hosts = snapts.get();
    return hosts.isEmpty() ? Optional.empty() : pageOf(hosts.get(next++ % hosts.size()));
  }

  // A SNAPT tells devices any name; one that no address can have is passed over.
  private static Optional<URI> pageOf(String host) {
    try {
      URI page = new URI("http", null, host, -1, PATH, null, null);
      return page.getHost() == null ? Optional.empty() : Optional.of(page);
    } catch (URISyntaxException _) {
      return Optional.empty();
    }
  }
}
