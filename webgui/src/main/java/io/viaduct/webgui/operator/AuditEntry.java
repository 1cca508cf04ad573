package io.viaduct.webgui.operator;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A request of an operator in billing's audit log.
///
/// @param status HTTP status of the answer; null if billing stopped before it
public record AuditEntry(
    String id,
    Instant at,
    String account,
    String operation,
    String path,
    @Nullable String requestId,
    @Nullable Integer status,
    List<Change> changes) {
  public AuditEntry {
    Objects.requireNonNull(at);
    changes = List.copyOf(changes);
  }

  /// Returns true if the request had its effect.
  public boolean isDone() {
    return status != null && status < 400;
  }

  /// A page of the log.
  ///
  /// @param next cursor of the following page, null on the last page
  public record Page(List<AuditEntry> entries, @Nullable String next) {
    public Page {
      entries = List.copyOf(entries);
    }
  }

  /// A row that was changed, by column.
  ///
  /// @param action `insert`, `update` or `delete`
  public record Change(
      String table,
      String action,
      @Nullable Map<String, Object> before,
      @Nullable Map<String, Object> after) {
    /// Returns the columns that differ, by name.
    public List<Field> fields() {
      Map<String, Object> old = before == null ? Map.of() : before;
      Map<String, Object> now = after == null ? Map.of() : after;
      Map<String, Object> all = new TreeMap<>(old);
      all.putAll(now);
      return all.keySet().stream()
          .map(name -> new Field(name, text(old.get(name)), text(now.get(name))))
          .filter(field -> !field.before.equals(field.after))
          .toList();
    }

    private static String text(@Nullable Object value) {
      return value == null ? "" : value.toString();
    }
  }

  /// A column with its value before and after; empty for none.
  public record Field(String name, String before, String after) {}
}
