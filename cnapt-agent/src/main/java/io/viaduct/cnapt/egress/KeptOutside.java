package io.viaduct.cnapt.egress;

import java.util.List;

/// Traffic that never enters the tunnel now, for the status.
///
/// @param prefixes destinations
/// @param users ids or ranges of users
/// @param groups control groups whose processes stay outside
/// @param awaited configured control groups of which none is there
public record KeptOutside(
    List<String> prefixes, List<String> users, List<Group> groups, List<String> awaited) {
  /// Nothing stays outside.
  public static final KeptOutside NONE =
      new KeptOutside(List.of(), List.of(), List.of(), List.of());

  /// A control group.
  ///
  /// @param path its directory
  /// @param processes number of processes in it and in the groups below it
  public record Group(String path, int processes) {}
}
