package io.viaduct.cnapt.egress;

import io.viaduct.cnapt.classification.AddressPrefix;
import java.util.ArrayList;
import java.util.List;

/// The configuration keys `split-tunnel: …`: traffic that never enters the tunnel.
///
/// @param prefixes destinations
/// @param users users of this system, whose programs stay outside
public record SplitTunnel(List<AddressPrefix> prefixes, List<UserRange> users) {
  /// Nothing stays outside.
  public static final SplitTunnel NONE = new SplitTunnel(List.of(), List.of());

  // Each entry is two rules, and the kernel goes through the rules one after the other for each
  // route.
  private static final int ENTRIES_MAX = 64;

  /// Checks the number of entries.
  public SplitTunnel {
    prefixes = List.copyOf(prefixes);
    users = List.copyOf(users);
    int entries = prefixes.size() + users.size();
    if (entries > ENTRIES_MAX) {
      throw new IllegalArgumentException(
          "split-tunnel must have at most %d prefixes and users, got %d"
              .formatted(ENTRIES_MAX, entries));
    }
  }

  /// Returns the selectors of policy rules for a family.
  List<String> selectors(AddressFamily family) {
    List<String> selectors = new ArrayList<>();
    prefixes.stream()
        .filter(prefix -> prefix.isIpv6() == (family == AddressFamily.IPV6))
        .forEach(prefix -> selectors.add("to " + prefix));
    users.forEach(users -> selectors.add("uidrange %d-%d".formatted(users.first(), users.last())));
    return selectors;
  }
}
