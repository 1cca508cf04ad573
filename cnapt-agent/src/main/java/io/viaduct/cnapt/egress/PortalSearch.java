package io.viaduct.cnapt.egress;

import io.netty.channel.EventLoop;
import java.net.URI;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Searches for captive portals by asking pages: while nothing carries the tunnel on the way that
/// the kernel chooses, otherwise on the links that do not answer. Owner: the thread of
/// [PortalWatch]; any thread may call [#onLinks].
final class PortalSearch implements PortalWatch.Search {
  private final ProbedPages pages;
  private final PortalProbe probe;
  private final LinkPortals links;

  /// @param loop of an `EpollIoHandler`
  /// @param mark SO_MARK of the probes
  PortalSearch(
      PortalSettings settings,
      ProbedNetwork network,
      EventLoop loop,
      int mark,
      LongSupplier nanoTime) {
    pages = new ProbedPages(settings, network::snapts);
    probe = new PortalProbe(new PageRequest(loop, mark));
    links =
        new LinkPortals(
            network::silentLinks,
            link -> asked(page -> probe.probe(page, link)),
            settings.interval().toNanos(),
            nanoTime);
  }

  private PortalFinding asked(Function<URI, PortalFinding> asking) {
    return pages.next().map(asking).orElseGet(() -> new PortalFinding.Unknown("no SNAPT is known"));
  }

  @Override
  public PortalFinding probe() {
    return asked(probe::probe);
  }

  @Override
  public PortalWay follow(URI portal) {
    return probe.follow(portal);
  }

  @Override
  public void lookAtLinks() {
    links.look();
  }

  @Override
  public void forgetLinks() {
    links.forget();
  }

  /// Returns the page of the captive portal in the way of each link, by the link's name.
  Map<String, URI> onLinks() {
    return links.pages();
  }
}
