package io.viaduct.cnapt.egress;

/// The configuration keys `routing: …`.
///
/// @param enabled true if the agent sets rules and routes
/// @param mark SO_MARK of the agent's own sockets
/// @param table number of the routing table whose default route is the TUN
/// @param priority priority of the first of two adjacent rules
public record RoutingSettings(boolean enabled, int mark, int table, int priority) {
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
  }
}
