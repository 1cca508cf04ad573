package io.viaduct.cnapt.egress;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for captive portals on links that are up but do not answer, while other links carry the
/// tunnel. It opens nothing. A link is asked less and less often, because it may be metered: after
/// 10, 20, 40 … 300 s with the default interval. Owner: the thread of [PortalWatch]; any thread may
/// call [#pages].
final class LinkPortals {
  private static final Logger LOG = LoggerFactory.getLogger(LinkPortals.class);
  private static final long APART_NS_MAX = 300_000_000_000L;

  private static final class Asked {
    private long nextNs;
    private long apartNs;
    private @Nullable URI page;
  }

  private final Supplier<List<SilentLink>> silent;
  private final Function<SilentLink, PortalFinding> probe;
  private final long intervalNs;
  private final LongSupplier nanoTime;
  private final Map<SilentLink, Asked> asked = new HashMap<>();
  private volatile Map<String, URI> pages = Map.of(); // written by the owner

  /// @param silent returns the links that do not answer
  /// @param probe asks a page by a link
  /// @param intervalNs time between the first two questions to a link
  LinkPortals(
      Supplier<List<SilentLink>> silent,
      Function<SilentLink, PortalFinding> probe,
      long intervalNs,
      LongSupplier nanoTime) {
    this.silent = silent;
    this.probe = probe;
    this.intervalNs = intervalNs;
    this.nanoTime = nanoTime;
  }

  /// Asks the links that do not answer, as far as it is their time.
  void look() {
    List<SilentLink> now = silent.get();
    asked.keySet().retainAll(now); // one with other addresses is in another network
    for (SilentLink each : now) {
      Asked of = asked.get(each);
      if (of == null) {
        of = new Asked();
        of.apartNs = intervalNs;
        asked.put(each, of);
      } else if (of.nextNs - nanoTime.getAsLong() > 0) {
        continue;
      }
      ask(each, of);
      of.nextNs = nanoTime.getAsLong() + of.apartNs;
      of.apartNs = Math.min(APART_NS_MAX, 2 * of.apartNs);
    }
    publish();
  }

  /// Forgets the links, because nothing carries the tunnel any more.
  void forget() {
    asked.clear();
    publish();
  }

  private void ask(SilentLink link, Asked of) {
    switch (probe.apply(link)) {
      case PortalFinding.Portal(URI found) -> {
        if (of.page == null) {
          LOG.warn(
              "a captive portal stands in the way of {}, while other links carry: to pass it, open"
                  + " {} on this link alone",
              link.name(),
              found);
        }
        of.page = found;
      }
      case PortalFinding.Open _ -> of.page = null;
      case PortalFinding.Unknown(String reason) ->
          LOG.debug("no portal found on {}: {}", link.name(), reason);
    }
  }

  private void publish() {
    Map<String, URI> found = new TreeMap<>();
    asked.forEach((link, of) -> {
      if (of.page != null) {
        found.put(link.name(), of.page);
      }
    });
    pages = Map.copyOf(found);
  }

  /// Returns the page of the captive portal in the way of each link, by the link's name.
  Map<String, URI> pages() {
    return pages;
  }
}
