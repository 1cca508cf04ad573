package io.viaduct.cnapt.links;

import io.netty.channel.IoEventLoop;
import io.viaduct.host.netlink.SignalMonitor;
import io.viaduct.host.netlink.SignalSource;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the usable links and their signal strength, logs each difference, and passes it on.
/// Owner: the data path's event loop; any thread may call [#status].
public final class LinkMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LinkMonitor.class);

  private final UsableLinks usable;
  private final SignalSource signals;
  private final LinkListener listener;
  private final Consumer<List<UsableLink>> all;
  private final Map<Integer, Integer> dBmOfLink = new ConcurrentHashMap<>();

  /// @param loop the data path's event loop
  /// @param listener called for each difference, on that loop
  /// @param all called with all links after their differences, on that loop
  public LinkMonitor(
      IoEventLoop loop, LinkRules rules, LinkListener listener, Consumer<List<UsableLink>> all) {
    this(loop, rules, listener, all, SignalMonitor::new);
  }

  /// @param readings opens the source of the signal strength: the kernel, or a recording of it
  public LinkMonitor(
      IoEventLoop loop,
      LinkRules rules,
      LinkListener listener,
      Consumer<List<UsableLink>> all,
      SignalSource.Factory readings) {
    this.listener = listener;
    this.all = all;
    this.usable = new UsableLinks(rules, new Differences());
    this.signals = readings.open(loop, this::signal);
  }

  /// Takes the kernel's present view of the links.
  public void attached(List<AttachedLink> now) {
    List<UsableLink> before = usable.links();
    usable.attached(now);
    follow(before);
  }

  /// Uses other rules from now on.
  public void use(LinkRules rules) {
    List<UsableLink> before = usable.links();
    usable.use(rules);
    follow(before);
  }

  private void follow(List<UsableLink> before) {
    if (!usable.links().equals(before)) {
      all.accept(usable.links());
      signals.watch(usable.links().stream().map(UsableLink::index).collect(Collectors.toSet()));
    }
  }

  private void signal(int linkIndex, int dBm) {
    dBmOfLink.put(linkIndex, dBm);
    List<UsableLink> before = usable.links();
    usable.signal(linkIndex, dBm);
    follow(before);
    usable.links().stream()
        .filter(link -> link.index() == linkIndex)
        .forEach(link -> listener.linkSignal(link, dBm));
  }

  /// Returns the usable links, ordered by name.
  public List<UsableLink> links() {
    return usable.links();
  }

  /// Returns the status of the usable links.
  public List<LinkStatus> status() {
    return usable.links().stream()
        .map(link ->
            new LinkStatus(
                link.name(),
                link.isSpare() ? "spare" : "yes",
                link.cost(),
                link.sources().stream().map(InetAddress::getHostAddress).toList(),
                dBmOfLink.get(link.index()),
                ""))
        .toList();
  }

  @Override
  public void close() {
    signals.close();
  }

  private static String described(UsableLink link) {
    return "%s (%s%s%s)"
        .formatted(
            link.name(),
            link.sources().stream()
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", ")),
            link.isSpare() ? ", spare" : link.isForbidden() ? ", forbidden" : "",
            link.isWeak() ? ", weak signal of %d dBm".formatted(link.weakDbm()) : "");
  }

  private final class Differences implements LinkListener {
    @Override
    public void linkAdded(UsableLink link) {
      LOG.info("link {} can be used", described(link));
      listener.linkAdded(link);
    }

    @Override
    public void linkRemoved(UsableLink link) {
      LOG.info("link {} can no longer be used", described(link));
      dBmOfLink.remove(link.index());
      listener.linkRemoved(link);
    }

    @Override
    public void linkChanged(UsableLink before, UsableLink now) {
      LOG.info("link {} is now {}", described(before), described(now));
      listener.linkChanged(before, now);
    }
  }
}
