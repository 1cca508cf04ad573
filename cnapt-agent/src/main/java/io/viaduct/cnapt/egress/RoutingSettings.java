package io.viaduct.cnapt.egress;

import io.viaduct.cnapt.classification.AddressPrefix;
import java.util.List;

/// The configuration keys `routing: …`.
///
/// @param enabled true if the agent sets rules and routes
/// @param mark SO_MARK of the agent's own sockets
/// @param table number of the routing table whose default route is the TUN
/// @param priority priority of the first of two adjacent rules
/// @param local networks that stay direct where the main table has a route to them other than the
///   default route; such routes to all other networks are not followed
public record RoutingSettings(
    boolean enabled, int mark, int table, int priority, List<AddressPrefix> local) {
  // Each is a rule, and the kernel goes through the rules one after the other for each route.
  private static final int LOCAL_MAX = 32;

  /// Checks that the values do not collide with the kernel's own tables and rules.
  public RoutingSettings {
    if (mark < 1) {
      throw new IllegalArgumentException("mark must be at least 1, got " + mark);
    }
    if (table < 256) {
      throw new IllegalArgumentException(
          "table must be at least 256, because 253 to 255 are the kernel's own, got " + table);
    }
    if (priority < 1 || priority > 32764) {
      throw new IllegalArgumentException(
          "priority must be from 1 to 32764, so that both rules come before the main table's"
              + " 32766, got "
              + priority);
    }
    local = List.copyOf(local);
    if (local.size() > LOCAL_MAX) {
      throw new IllegalArgumentException(
          "local must have at most %d networks, got %d".formatted(LOCAL_MAX, local.size()));
    }
  }

  /// Returns the same settings for an agent that sets no rules.
  RoutingSettings disabled() {
    return new RoutingSettings(false, mark, table, priority, local);
  }
}
