package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Map;

/// Who was measured, for a report.
///
/// @param notes version and settings by name
/// @param roles by name, in the order of the columns
/// @param missing who was not measured, or not of everything, with the reason
record Participants(
    Map<String, String> notes, Map<String, Role> roles, Map<String, String> missing) {
  /// Names of the tunnels of others.
  List<String> others() {
    return roles.keySet().stream()
        .filter(name -> roles.get(name) == Role.PEER || roles.get(name) == Role.BOUND)
        .toList();
  }

  /// @param conditions get the notes
  void describe(Map<String, String> conditions) {
    notes.forEach((name, note) -> conditions.put("peer " + name, note));
  }

  /// Markdown below a table; empty when nobody is missing.
  String leftOut() {
    var text = new StringBuilder();
    missing.forEach((who, why) -> text.append("\n- ").append(who).append(": ").append(why));
    return text.append(missing.isEmpty() ? "" : "\n").toString();
  }
}
