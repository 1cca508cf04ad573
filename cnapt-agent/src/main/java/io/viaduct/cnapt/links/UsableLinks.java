package io.viaduct.cnapt.links;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The usable links by the kernel's view and the rules. Owner: the data path's event loop; any
/// thread may read [#links].
public final class UsableLinks {
  private final LinkListener listener;
  private LinkRules rules;
  private List<AttachedLink> attached = List.of();
  private final Map<Integer, WeakSignal> signals = new HashMap<>(); // by number of the interface
  private volatile List<UsableLink> links = List.of(); // written by the event loop

  /// @param listener called for each difference
  public UsableLinks(LinkRules rules, LinkListener listener) {
    this.rules = rules;
    this.listener = listener;
  }

  /// Takes the kernel's present view.
  public void attached(List<AttachedLink> now) {
    if (!now.equals(attached)) {
      attached = List.copyOf(now);
      signals
          .keySet()
          .removeIf(index -> attached.stream().noneMatch(each -> each.index() == index));
      derive();
    }
  }

  /// Takes the signal strength of a wireless link, once a second.
  public void signal(int linkIndex, int dBm) {
    for (AttachedLink each : attached) {
      if (each.index() == linkIndex) {
        WeakSignal signal = signals.computeIfAbsent(linkIndex, _ -> new WeakSignal());
        Integer before = signal.weakDbm();
        signal.reading(dBm, rules.rule(each.name()).weakBelowDbm());
        if (!Objects.equals(before, signal.weakDbm())) {
          derive();
        }
        return;
      }
    }
  }

  /// Uses other rules from now on.
  public void use(LinkRules next) {
    rules = next;
    derive();
  }

  private void derive() {
    Map<Integer, UsableLink> before = new LinkedHashMap<>();
    links.forEach(link -> before.put(link.index(), link));
    List<UsableLink> now =
        attached.stream()
            .filter(each -> rules.rule(each.name()).allowed() != LinkUse.NO)
            .map(this::usable)
            .sorted(Comparator.comparing(UsableLink::name).thenComparing(UsableLink::index))
            .toList();
    links = now;
    // A listener may hold sockets: those of a former interface close before new ones open.
    before.values().stream()
        .filter(former -> now.stream().noneMatch(each -> isSame(each, former)))
        .forEach(this::remove);
    for (UsableLink each : now) {
      UsableLink former = before.get(each.index());
      if (former == null || !isSame(each, former)) {
        listener.linkAdded(each);
      } else if (!each.equals(former)) {
        listener.linkChanged(former, each);
      }
    }
  }

  private void remove(UsableLink former) {
    boolean stands =
        attached.stream()
            .anyMatch(each -> each.index() == former.index() && each.name().equals(former.name()));
    if (stands) {
      listener.linkChanged(former, former.forbidden());
    }
    listener.linkRemoved(stands ? former.forbidden() : former);
  }

  // A socket stays bound to the interface whose number and name are the same.
  private static boolean isSame(UsableLink one, UsableLink other) {
    return one.index() == other.index() && one.name().equals(other.name());
  }

  private UsableLink usable(AttachedLink each) {
    LinkRule rule = rules.rule(each.name());
    WeakSignal signal = signals.get(each.index());
    return new UsableLink(
        each.name(),
        each.index(),
        each.sources(),
        rule.cost().orElse(0.0),
        rule.allowed(),
        signal == null ? null : signal.weakDbm());
  }

  /// Returns the usable links, ordered by name.
  public List<UsableLink> links() {
    return links;
  }
}
