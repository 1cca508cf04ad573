package io.viaduct.cnapt.egress;

import io.viaduct.cnapt.classification.AddressPrefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// The configuration keys `split-tunnel: …`: traffic that never enters the tunnel.
///
/// @param prefixes destinations
/// @param users users of this system, whose programs stay outside
/// @param controlGroups control groups of version 2 whose processes stay outside: paths as
///   `/proc/PID/cgroup` shows them, in which a `*` stands for any characters but `/`
/// @param group name of the agent's own control group, for `cnapt outside`
/// @param mark SO_MARK of the sockets of these processes
public record SplitTunnel(
    List<AddressPrefix> prefixes,
    List<UserRange> users,
    List<String> controlGroups,
    String group,
    int mark) {
  // Each entry is two rules, and the kernel goes through the rules one after the other for each
  // route.
  private static final int ENTRIES_MAX = 64;
  private static final int CONTROL_GROUPS_MAX = 64; // each is looked for every second

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:@-]{0,254}");

  /// Nothing stays outside.
  public static final SplitTunnel NONE = of(List.of(), List.of());

  /// Checks the number of entries, and the form of the others.
  public SplitTunnel {
    prefixes = List.copyOf(prefixes);
    users = List.copyOf(users);
    controlGroups = controlGroups.stream().map(SplitTunnel::path).toList();
    int entries = prefixes.size() + users.size();
    if (entries > ENTRIES_MAX) {
      throw new IllegalArgumentException(
          "split-tunnel must have at most %d prefixes and users, got %d"
              .formatted(ENTRIES_MAX, entries));
    }
    if (controlGroups.size() > CONTROL_GROUPS_MAX) {
      throw new IllegalArgumentException(
          "control-groups must be at most %d, got %d"
              .formatted(CONTROL_GROUPS_MAX, controlGroups.size()));
    }
    if (!NAME.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "group must be 1 to 255 letters, digits or '_.:@-', beginning with a letter or digit, got '"
              + group
              + "'");
    }
    if (mark < 1) {
      throw new IllegalArgumentException("mark must be at least 1, got " + mark);
    }
  }

  /// Returns a split by destinations and users alone.
  static SplitTunnel of(List<AddressPrefix> prefixes, List<UserRange> users) {
    return new SplitTunnel(prefixes, users, List.of(), "viaduct-outside", 30306);
  }

  /// Returns whether something is to stay outside from the start.
  public boolean keepsSomething() {
    return !prefixes.isEmpty() || !users.isEmpty() || !controlGroups.isEmpty();
  }

  /// Returns a path of a control group without the slash at its beginning.
  private static String path(String text) {
    String path = text.startsWith("/") ? text.substring(1) : text;
    List<String> names = Arrays.asList(path.split("/", -1));
    if (names.contains("") || names.contains(".") || names.contains("..")) {
      throw new IllegalArgumentException(
          "control-groups must be paths such as user.slice/user-1000.slice, as /proc/PID/cgroup shows"
              + " them behind '0::', got '"
              + text
              + "'");
    }
    return path;
  }

  /// Returns the selectors of policy rules for a family, of prefixes and users.
  List<String> selectors(AddressFamily family) {
    List<String> selectors = new ArrayList<>();
    prefixes.stream()
        .filter(prefix -> prefix.isIpv6() == (family == AddressFamily.IPV6))
        .forEach(prefix -> selectors.add("to " + prefix));
    users.forEach(users -> selectors.add("uidrange %d-%d".formatted(users.first(), users.last())));
    return selectors;
  }
}
