package io.viaduct.cnapt.operations;

import tools.jackson.databind.json.JsonMapper;

/// Writes what a command prints with `--json`.
public final class JsonText {
  private JsonText() {}

  /// Returns a document, indented, with a line end.
  ///
  /// @param document a tree, a record, or a list of records
  public static String of(Object document) {
    return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
  }
}
