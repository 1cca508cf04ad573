package io.viaduct.billing.audit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Records the requests of operators that may change something, and what configuration files
/// change, and reads the log. The database refuses to change or delete a row of it.
public final class AuditLog {
  /// Role of entries that no account has made; it stands for the account, too.
  private static final String CONFIGURATION = "configuration";

  private final JdbcClient jdbc;

  public AuditLog(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// A request that is about to be carried out.
  ///
  /// @param account the operator; `configuration` for a change by a configuration file
  /// @param operation operation id of the interface's description, e.g. `topUp`
  /// @param requestId id that the client or billing gave it
  public record Request(
      String account,
      String role,
      String operation,
      String method,
      String path,
      String requestId) {}

  /// A recorded request.
  ///
  /// @param status HTTP status of the answer; null if billing stopped before it
  public record Entry(
      long id, Instant at, Request request, @Nullable Integer status, List<Change> changes) {}

  /// A row that a request changed, as JSON objects without secrets.
  ///
  /// @param action `INSERT`, `UPDATE` or `DELETE`
  /// @param before null for a new row
  /// @param after null for a deleted row
  public record Change(
      String table, String action, @Nullable String before, @Nullable String after) {}

  /// Selects entries; an empty text selects all.
  ///
  /// @param account the operator
  /// @param operation the operation id
  /// @param about a part of the path, or the id or account of a changed row
  public record Filter(
      String account,
      String operation,
      String about,
      @Nullable Instant from,
      @Nullable Instant to) {}

  /// Commits the entry of a request, and marks the changes of this thread as those of the request.
  ///
  /// @return the entry, for [#end]
  public long begin(Request request, Instant now) {
    long entry =
        jdbc.sql(
                "insert into audit_entry (began_at, account, role, operation, method, path, request_id)"
                    + " values (?, ?, ?, ?, ?, ?, ?) returning id")
            .params(
                Timestamp.from(now),
                request.account,
                request.role,
                request.operation,
                request.method,
                request.path,
                request.requestId)
            .query(Long.class)
            .single();
    AuditedDataSource.serve(entry);
    return entry;
  }

  /// Records a change by a configuration file, in the transaction of the caller. What this
  /// transaction changes from now on is the entry's.
  ///
  /// @param operation e.g. `importUser`
  /// @param path key of the configuration, and the name of the user or SNAPT, e.g. `snapts/snapt-1`
  public void configured(String operation, String path, Instant now) {
    long entry =
        jdbc.sql(
                "insert into audit_entry (began_at, account, role, operation, method, path, request_id)"
                    + " values (?, null, ?, ?, 'IMPORT', ?, ?) returning id")
            .params(
                Timestamp.from(now), CONFIGURATION, operation, path, UUID.randomUUID().toString())
            .query(Long.class)
            .single();
    jdbc.sql("select set_config('viaduct.audit_entry', ?, true)")
        .param(Long.toString(entry))
        .query(_ -> {});
    jdbc.sql("insert into audit_outcome (entry_id, status, ended_at) values (?, 200, ?)")
        .params(entry, Timestamp.from(now))
        .update();
  }

  /// Records the answer to a request and ends the marking of this thread.
  public void end(long entry, int status, Instant now) {
    AuditedDataSource.serve(null);
    jdbc.sql("insert into audit_outcome (entry_id, status, ended_at) values (?, ?, ?)")
        .params(entry, status, Timestamp.from(now))
        .update();
  }

  /// Returns entries with their changes, latest first.
  public List<Entry> page(Filter filter, long before, int limit) {
    List<Entry> entries =
        jdbc.sql(
                """
                select e.id, e.began_at, coalesce(e.account, e.role), e.role, e.operation, e.method, e.path, e.request_id, o.status
                from audit_entry e left join audit_outcome o on o.entry_id = e.id
                where e.id < :before and (:account = '' or coalesce(e.account, e.role) = :account)
                  and (:operation = '' or e.operation = :operation) and (strpos(e.path, :about) > 0 or exists (
                    select from audit_change c where c.entry_id = e.id and :about in
                      (c.before ->> 'id', c.before ->> 'account', c.after ->> 'id', c.after ->> 'account')))
                  and e.began_at >= coalesce(:from::timestamptz, '-infinity')
                  and e.began_at < coalesce(:to::timestamptz, 'infinity')
                order by e.id desc limit :limit
                """)
            .param("before", before)
            .param("account", filter.account)
            .param("operation", filter.operation)
            .param("about", filter.about.isEmpty() ? "/" : filter.about)
            .param("from", filter.from == null ? null : Timestamp.from(filter.from))
            .param("to", filter.to == null ? null : Timestamp.from(filter.to))
            .param("limit", limit)
            .query((row, _) -> entry(row))
            .list();
    Map<Long, List<Change>> changes = changes(entries.stream().map(Entry::id).toList());
    return entries.stream()
        .map(e -> new Entry(e.id, e.at, e.request, e.status, changes.getOrDefault(e.id, List.of())))
        .toList();
  }

  private static Entry entry(ResultSet row) throws SQLException {
    int status = row.getInt(9);
    return new Entry(
        row.getLong(1),
        row.getTimestamp(2).toInstant(),
        new Request(
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getString(6),
            row.getString(7),
            row.getString(8)),
        row.wasNull() || status == 0 ? null : Integer.valueOf(status),
        List.of());
  }

  private record OfEntry(long entry, Change change) {}

  private Map<Long, List<Change>> changes(List<Long> entries) {
    if (entries.isEmpty()) {
      return Map.of();
    }
    return jdbc
        .sql(
            "select entry_id, table_name, action, before, after from audit_change"
                + " where entry_id in (:entries) order by id")
        .param("entries", entries)
        .query((row, _) ->
            new OfEntry(
                row.getLong(1),
                new Change(row.getString(2), row.getString(3), row.getString(4), row.getString(5))))
        .list()
        .stream()
        .collect(
            Collectors.groupingBy(
                OfEntry::entry, Collectors.mapping(OfEntry::change, Collectors.toList())));
  }
}
