package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Map;

/// The measured peers, for a report.
///
/// @param notes version and settings by name
/// @param roles by name, in the order of the columns
/// @param missing peers or measures without a result, with the reason
record Participants(
    Map<String, String> notes, Map<String, Role> roles, Map<String, String> missing) {
  /// Returns the names of the other tunnels.
  List<String> others() {
    return roles.keySet().stream()
        .filter(name -> roles.get(name) == Role.PEER || roles.get(name) == Role.BOUND)
        .toList();
  }

  /// Adds the notes to the conditions of a report.
  void describe(Map<String, String> conditions) {
    notes.forEach((name, note) -> conditions.put("peer " + name, note));
  }

  /// Returns Markdown for below a table; empty when no peer is missing.
  String missingMarkdown() {
    var text = new StringBuilder();
    missing.forEach((who, why) -> text.append("\n- ").append(who).append(": ").append(why));
    return text.append(missing.isEmpty() ? "" : "\n").toString();
  }
}
