package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the public addresses are that have moved between members. An address may come to a member
/// more than once, so each has a stack of stays: from whom it came, and to whom it went. A file
/// keeps them, so that the routes outlive the process. Owner: the group's thread; it blocks on the
/// disk and on the host. Any thread may ask where an address is.
///
/// A change is written, then valid here, then led to by a route: a route that the host refuses is
/// tried again ([#again]), because the file is what the next start goes by.
///
/// An address goes back the way it came: the last member returns it to the one before.
final class MovedAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(MovedAddresses.class);

  /// As `from`: the address is of this SNAPT's own pool. As `to`: it is here.
  static final String OWN = "-";

  /// Most stays of one address: a group of three that is upgraded in turn needs two.
  static final int STAYS_MAX = 8;

  /// One stay.
  ///
  /// @param from member that has handed the address over, [#OWN] for the first stay at its owner
  /// @param to member that it was handed to, [#OWN] while it is here
  record Stay(String from, String to) {
    boolean isHere() {
      return to.equals(OWN);
    }
  }

  private final MovedFile file;
  private final GroupSettings settings;
  private final GroupSettings.MemberPool own;
  private final Host host;
  private final GroupCounts counts;
  // Immutable, replaced as a whole by the group's thread; the last stay of each is the newest.
  private volatile Map<PublicAddress, List<Stay>> stays = Map.of();
  private volatile Map<PublicAddress, Intent> intents = Map.of(); // likewise
  private final Set<PublicAddress> notRouted = new LinkedHashSet<>();

  /// A change of the host's routes.
  private interface Route {
    void set() throws IOException;
  }

  /// @param file of the state directory
  /// @param own pool of this SNAPT
  MovedAddresses(
      Path file,
      GroupSettings settings,
      GroupSettings.MemberPool own,
      Host host,
      GroupCounts counts) {
    this.file = new MovedFile(file);
    this.settings = settings;
    this.own = own;
    this.host = host;
    this.counts = counts;
  }

  /// Reads the file.
  ///
  /// @return the addresses that were here when the process ended
  /// @throws IOException if the file cannot be read, or a line is damaged
  List<PublicAddress> open() throws IOException {
    MovedFile.Content read = file.read();
    swap(read.stays(), read.intents());
    List<PublicAddress> here = new ArrayList<>();
    stays.forEach((address, of) -> {
      if (of.getLast().isHere()) {
        here.add(address);
      }
    });
    return here;
  }

  /// Leads packets for all addresses again, because the host may have restarted, and removes the
  /// group's routes of addresses that have not moved.
  void lead() {
    try {
      forgetStrays();
    } catch (IOException e) {
      LOG.error("routes that no session needs are not looked for: {}", e.getMessage());
    }
    stays.keySet().forEach(each -> route(each, () -> lead(each)));
  }

  private void forgetStrays() throws IOException {
    Set<InetAddress> wanted = new HashSet<>();
    for (PublicAddress each : stays.keySet()) {
      wanted.add(InetAddress.getByAddress(each.ipv4Bytes()));
      wanted.add(InetAddress.getByAddress(each.ipv6Bytes()));
    }
    for (InetAddress each : host.routed()) {
      boolean isGroups =
          own.has(each) || settings.members().stream().anyMatch(of -> of.pool().has(each));
      if (isGroups && !wanted.contains(each)) {
        LOG.info("the route of {} is removed: it has not moved", each.getHostAddress());
        host.forget(each);
      }
    }
  }

  private void lead(PublicAddress address) throws IOException {
    Stay last = last(address);
    if (last == null) {
      host.forget(address);
    } else if (last.isHere()) {
      host.here(address);
    } else {
      GroupSettings.Member to = settings.member(last.to()).orElse(null);
      if (to != null) { // otherwise it was removed from the configuration
        host.away(address, to);
      }
    }
  }

  /// Tries the routes again that the host has refused.
  void again() {
    List.copyOf(notRouted).forEach(each -> route(each, () -> lead(each)));
  }

  /// @return false if the host refuses it: [#again] tries it again
  private boolean route(PublicAddress address, Route change) {
    boolean isSet = false;
    try {
      change.set();
      isSet = true;
      notRouted.remove(address);
    } catch (IOException e) {
      if (notRouted.add(address)) { // once, not with each attempt
        LOG.error("the route of {} is tried again until it is set: {}", address, e.getMessage());
      }
    }
    counts.notRouted(notRouted.size());
    return isSet;
  }

  /// Returns the addresses that have moved. Any thread may call this.
  List<PublicAddress> all() {
    return List.copyOf(stays.keySet());
  }

  /// Returns the last stay of an address, null if it has not moved. Any thread may call this.
  @Nullable Stay last(PublicAddress address) {
    List<Stay> of = stays.get(address);
    return of == null ? null : of.getLast();
  }

  /// Returns the member that has got an address from here last; null if none has it. Any thread may
  /// call this.
  ///
  /// @param address one of the two of a session
  @Nullable String memberWith(InetAddress address) {
    byte[] wanted = address.getAddress();
    for (Map.Entry<PublicAddress, List<Stay>> each : stays.entrySet()) {
      PublicAddress of = each.getKey();
      if (Arrays.equals(wanted, of.ipv4Bytes()) || Arrays.equals(wanted, of.ipv6Bytes())) {
        Stay last = each.getValue().getLast();
        return last.isHere() ? null : last.to();
      }
    }
    return null;
  }

  /// Returns whether a member may hand an address over: an own one only while it is away, another
  /// one if it is of the member's pool or was handed to the member from here. What is recorded as
  /// here cannot come. Any thread may call this.
  ///
  /// @param from id of the member
  boolean mayCome(PublicAddress address, String from) {
    Stay last = last(address);
    if (last != null) {
      return !last.isHere() && (own.has(address) || last.to().equals(from));
    }
    return settings.member(from).filter(each -> each.pool().has(address)).isPresent();
  }

  private List<Stay> copy(PublicAddress address) {
    return new ArrayList<>(stays.getOrDefault(address, List.of()));
  }

  /// Takes an address over.
  ///
  /// @param from member that has handed it over
  /// @throws IOException if it may not come any more, cannot be written, or the host refuses the
  ///   route; nothing has then changed
  void take(PublicAddress address, String from) throws IOException {
    if (!mayCome(address, from)) {
      throw new IOException("%s has been returned meanwhile".formatted(address));
    }
    List<Stay> before = copy(address);
    List<Stay> now = copy(address);
    boolean comesBack = !now.isEmpty() && now.getLast().to().equals(from);
    if (now.size() >= STAYS_MAX && !comesBack) {
      throw new IOException("%s has moved %d times".formatted(address, STAYS_MAX));
    }
    now.add(new Stay(comesBack ? now.removeLast().from() : from, OWN));
    change(address, now);
    try {
      host.here(address);
      notRouted.remove(address);
      counts.notRouted(notRouted.size());
    } catch (IOException e) {
      try {
        change(address, before);
      } catch (IOException too) {
        e.addSuppressed(too);
      }
      route(address, () -> lead(address)); // one family may be led here
      throw e;
    }
  }

  /// Hands an address on, and forgets the intent. If it goes back to the member from which it came,
  /// nothing of it stays but the route, for what is under way; [#settle] removes it.
  ///
  /// @param to member that has taken it over
  /// @return false if the host refuses the route: [#again] tries it again
  /// @throws IOException if it cannot be written; the route is set, but the next start would not
  ///   know of it
  boolean give(PublicAddress address, GroupSettings.Member to) throws IOException {
    List<Stay> now = copy(address);
    String from = OWN;
    if (!now.isEmpty() && now.getLast().isHere()) {
      from = now.removeLast().from();
    }
    if (!from.equals(to.id())) {
      now.add(new Stay(from, to.id()));
    }
    Map<PublicAddress, Intent> open = new LinkedHashMap<>(intents);
    open.remove(address);
    boolean isRouted;
    try {
      change(address, now, open);
    } finally {
      isRouted = route(address, () -> host.away(address, to));
    }
    return isRouted;
  }

  /// Takes an address back from the member that it was handed on to, to return it from here.
  ///
  /// @throws IOException if it cannot be written; nothing has then changed
  void back(PublicAddress address) throws IOException {
    List<Stay> now = copy(address);
    if (now.isEmpty()) {
      throw new IllegalStateException(address + " has not moved");
    }
    now.add(new Stay(now.removeLast().from(), OWN));
    change(address, now);
    settle(address);
  }

  /// Ends the last stay of an address.
  ///
  /// @return the ended stay; its `from` is the next that must hear of it
  /// @throws IOException if it cannot be written; nothing has then changed
  Stay leave(PublicAddress address) throws IOException {
    List<Stay> now = copy(address);
    if (now.isEmpty()) {
      throw new IllegalStateException(address + " has not moved");
    }
    Stay ended = now.removeLast();
    change(address, now);
    settle(address);
    return ended;
  }

  /// Leads packets for an address where its last stay says.
  void settle(PublicAddress address) {
    route(address, () -> lead(address));
  }

  /// Records that an address may go to a member.
  ///
  /// @throws IOException if it cannot be written; nothing has then changed
  void intend(Intent intent) throws IOException {
    Map<PublicAddress, Intent> next = new LinkedHashMap<>(intents);
    next.put(intent.address(), intent);
    write(stays, next);
  }

  /// Forgets an intent, because the member has not taken the address.
  ///
  /// @throws IOException if it cannot be written; nothing has then changed
  void forget(Intent intent) throws IOException {
    Map<PublicAddress, Intent> next = new LinkedHashMap<>(intents);
    if (next.remove(intent.address(), intent)) {
      write(stays, next);
    }
  }

  /// Returns the hand-overs whose outcome is not known. Any thread may call this.
  List<Intent> intents() {
    return List.copyOf(intents.values());
  }

  /// Returns the open hand-over of an address, null if there is none. Any thread may call this.
  @Nullable Intent intent(PublicAddress address) {
    return intents.get(address);
  }

  /// Returns whether an address that a member may have handed over is not with the member any more.
  /// An own address is away only as recorded. Another one is here, or with its owner.
  ///
  /// @param from id of the member
  boolean hasTaken(PublicAddress address, String from) {
    Stay last = last(address);
    if (own.has(address)) {
      return last == null || !last.to().equals(from);
    }
    return last != null && last.isHere() && last.from().equals(from);
  }

  private void change(PublicAddress address, List<Stay> now) throws IOException {
    change(address, now, intents);
  }

  private void change(PublicAddress address, List<Stay> now, Map<PublicAddress, Intent> open)
      throws IOException {
    Map<PublicAddress, List<Stay>> next = new LinkedHashMap<>(stays);
    if (now.isEmpty()) {
      next.remove(address);
    } else {
      next.put(address, List.copyOf(now));
    }
    write(next, open);
  }

  private void write(Map<PublicAddress, List<Stay>> all, Map<PublicAddress, Intent> open)
      throws IOException {
    file.write(new MovedFile.Content(all, open));
    swap(all, open);
  }

  private void swap(Map<PublicAddress, List<Stay>> all, Map<PublicAddress, Intent> open) {
    stays = Collections.unmodifiableMap(all);
    intents = Collections.unmodifiableMap(open);
    counts.addresses(all.size());
    counts.intents(open.size());
  }
}
