package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.settlement.IntervalKey;
import io.viaduct.usage.statement.StatementReceipt;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Writes the signed statement of an account. Only one page of receipts is in memory, and no
/// database connection is held while a slow reader takes the file.
public final class StatementFiles {
  private static final int PAGE = 500;
  private static final LocalDate FOREVER = LocalDate.of(9999, 1, 1);

  private final JdbcClient jdbc;
  private final Snapshot snapshot;
  private final DayRoots roots;
  private final StatementKey key;
  private final InstantSource clock;

  public StatementFiles(
      JdbcClient jdbc, Snapshot snapshot, DayRoots roots, StatementKey key, InstantSource clock) {
    this.jdbc = jdbc;
    this.snapshot = snapshot;
    this.roots = roots;
    this.key = key;
    this.clock = clock;
  }

  /// The begin of a chain.
  ///
  /// @param salt empty if the account was erased
  /// @param genesis the hash that an erased account has kept; empty if id and salt give it
  private record Chain(long position, ByteString salt, ByteString genesis) {}

  /// The part of a chain that a file has.
  ///
  /// @param first number of the first link; the one before the range, if a root covers it
  /// @param last number of the last link; 0 if the range has none
  private record Range(long first, long last, List<PublishedRoot> roots) {}

  private record Row(
      Movement movement,
      long number,
      ByteString previous,
      LocalDate day,
      long balance,
      ByteString report,
      ByteString charges,
      ByteString signature) {
    StatementReceipt receipt() {
      return new StatementReceipt(
          number,
          previous,
          movement.postedMicros(),
          movement.kind(),
          movement.identity(),
          movement.note(),
          movement.amount(),
          balance,
          report,
          charges);
    }
  }

  /// Writes a statement.
  ///
  /// @param from first day of its receipts; null for all. It begins with the receipt before if a
  ///   published root covers that, else with the first one of the account
  /// @param to last day of its receipts; null for all
  /// @throws IOException if the reader is away
  public void write(
      String account, @Nullable LocalDate from, @Nullable LocalDate to, OutputStream out)
      throws IOException {
    DigestedLines lines = new DigestedLines(out);
    Optional<Chain> chain = chain(account);
    lines.write(
        StatementLines.begin(
            account,
            chain.map(Chain::salt).orElse(ByteString.EMPTY),
            chain.map(Chain::genesis).orElse(ByteString.EMPTY),
            clock.instant(),
            publicKeys("select public_key from receipt_key order by first_used_at", Map.of())));
    long written = 0;
    if (chain.isPresent()) {
      LocalDate until = to == null ? FOREVER : to;
      Range range = snapshot.read(() -> range(account, chain.get(), from, until));
      written = write(account, chain.get(), range, lines);
    }
    lines.end(written, key);
  }

  private Optional<Chain> chain(String account) {
    return jdbc.sql("select position, salt, genesis from receipt_chain where account = ?")
        .param(account)
        .query((row, _) ->
            new Chain(
                row.getLong("position"),
                Genesis.octets(row, "salt"),
                Genesis.octets(row, "genesis")))
        .optional();
  }

  private Range range(String account, Chain chain, @Nullable LocalDate from, LocalDate to) {
    LocalDate anchored =
        from == null
            ? null
            : roots.latest(from, 1).stream()
                .filter(root -> root.root().accounts() > chain.position())
                .map(root -> root.root().day())
                .findFirst()
                .orElse(null);
    long first = anchored == null ? 1 : last(account, anchored);
    if (first < firstKept(account)) {
      return rangeOfKept(account, chain, to);
    }
    return new Range(
        first,
        last(account, to),
        roots.between(anchored == null ? LocalDate.EPOCH : anchored, to).stream()
            .filter(root -> root.root().accounts() > chain.position())
            .toList());
  }

  // Movements of dropped months are not known any more: the file begins with the first receipt that
  // is kept, and that a published root covers.
  private Range rangeOfKept(String account, Chain chain, LocalDate to) {
    long kept = firstKept(account);
    List<PublishedRoot> covering =
        roots.between(LocalDate.EPOCH, to).stream()
            .filter(root -> root.root().accounts() > chain.position())
            .filter(root -> last(account, root.root().day()) >= kept)
            .toList();
    return covering.isEmpty()
        ? new Range(kept, last(account, to), List.of())
        : new Range(last(account, covering.getFirst().root().day()), last(account, to), covering);
  }

  private long firstKept(String account) {
    return jdbc.sql(
            """
            select coalesce(max(number) + 1, 1) from receipt_link
            where account = ? and kept_from() > 0 and transaction_id < kept_from()
            """)
        .param(account)
        .query(Long.class)
        .single();
  }

  private long last(String account, LocalDate day) {
    return jdbc.sql(
            "select number from receipt_link where account = ? and day <= ? order by number desc limit 1")
        .params(account, day)
        .query(Long.class)
        .optional()
        .orElse(0L);
  }

  private long write(String account, Chain chain, Range range, DigestedLines lines)
      throws IOException {
    List<PublishedRoot> next = new ArrayList<>(range.roots());
    long number = range.first() - 1;
    while (number < range.last()) {
      List<Line> page = page(account, number + 1, range.last());
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "receipts of %s from %d on have no transaction".formatted(account, number + 1));
      }
      for (Line line : page) {
        write(next, line.day(), number, chain, lines);
        lines.write(line.text());
        number = line.number();
      }
    }
    write(next, FOREVER, number, chain, lines);
    return number - range.first() + 1;
  }

  // The roots of the days before a receipt's.
  private void write(
      List<PublishedRoot> next, LocalDate before, long number, Chain chain, DigestedLines lines)
      throws IOException {
    while (!next.isEmpty() && next.getFirst().root().day().isBefore(before)) {
      PublishedRoot root = next.removeFirst();
      lines.write(
          StatementLines.day(
              root, number, chain.position(), roots.proof(root.root().day(), chain.position())));
    }
  }

  private record Line(long number, LocalDate day, String text) {}

  private List<Line> page(String account, long first, long last) {
    return snapshot.read(() -> {
      List<Row> rows = rows(account, first, last);
      PostedBills bills = PostedBills.of(jdbc, rows.stream().map(Row::movement).toList());
      Map<Long, StatementLines.SignedReport> reports = reports(rows);
      return rows.stream()
          .map(row ->
              new Line(
                  row.number(),
                  row.day(),
                  StatementLines.receipt(
                      row.receipt(),
                      row.signature(),
                      bills.charges(row.movement()),
                      row.report().isEmpty() || row.movement().interval() == null
                          ? null
                          : reports.get(row.movement().interval()))))
          .toList();
    });
  }

  private List<Row> rows(String account, long first, long last) {
    return jdbc.sql(
            "select l.number, coalesce(b.hash, ''), l.day, l.balance_microdenarii, l.report, l.charges, coalesce(l.signature, ''), "
                + Genesis.COLUMNS
                + ", "
                + Movement.COLUMNS.formatted("l")
                + " from receipt_link l join receipt_chain c on c.account = l.account"
                + " join ledger_transaction t on t.id = l.transaction_id"
                + " left join receipt_link b on b.account = l.account and b.number = l.number - 1"
                + " where l.account = ? and l.number between ? and ? order by l.number limit ?")
        .params(account, first, last, PAGE)
        .query((row, _) -> row(row, account))
        .list();
  }

  private static Row row(ResultSet row, String account) throws SQLException {
    long number = row.getLong(1);
    return new Row(
        Movement.of(row, account),
        number,
        number == 1 ? Genesis.of(row, account) : ByteString.copyFrom(row.getBytes(2)),
        row.getObject(3, LocalDate.class),
        row.getLong(4),
        ByteString.copyFrom(row.getBytes(5)),
        ByteString.copyFrom(row.getBytes(6)),
        ByteString.copyFrom(row.getBytes(7)));
  }

  private Map<Long, StatementLines.SignedReport> reports(List<Row> rows) {
    Map<Long, StatementLines.SignedReport> reports = new HashMap<>();
    Map<String, List<ByteString>> keys = new HashMap<>();
    jdbc.sql(
            """
            select r.interval_id, i.snapt_id, r.content, r.signature, r.token, d.receipt, i.session_id from report_original r
            join charging_interval i on i.id = r.interval_id left join interval_decision d on d.interval_id = r.interval_id
            where r.interval_id = any(?)
            """)
        .param(
            rows.stream()
                .filter(row -> !row.report().isEmpty())
                .map(row -> row.movement().interval())
                .toArray(Long[]::new))
        .query(row -> {
          ByteString content = ByteString.copyFrom(row.getBytes(3));
          ByteString signature = ByteString.copyFrom(row.getBytes(4));
          byte[] token = row.getBytes(5);
          if (IntervalKey.isByDevice(row.getString(7))) {
            reports.put(
                row.getLong(1), new StatementLines.ByDevice(content, signature, deviceKey(token)));
          } else if (!namesNeighbours(content)) {
            reports.put(
                row.getLong(1),
                new StatementLines.Countersigned(
                    content,
                    signature,
                    keys.computeIfAbsent(row.getString(2), this::keysOf),
                    device(token, row.getBytes(6))));
          }
        });
    return reports;
  }

  // A SNAPT of a version before ADR 0086 has signed other users' names with the report.
  private static boolean namesNeighbours(ByteString content) {
    try {
      return UsageReport.parseFrom(content).getRelaysCount() > 0;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored report cannot be read", e);
    }
  }

  private List<ByteString> keysOf(String snapt) {
    return publicKeys(
        "select public_key from snapt_key where snapt_id = :snapt order by first_seen_at",
        Map.of("snapt", snapt));
  }

  private List<ByteString> publicKeys(String query, Map<String, String> values) {
    return jdbc.sql(query)
        .params(values)
        .query((row, _) -> ByteString.copyFrom(row.getBytes(1)))
        .list();
  }

  // Both were checked when the report came.
  private static StatementLines.@Nullable DeviceReceipt device(
      byte @Nullable [] token, byte @Nullable [] receipt) {
    if (token == null || receipt == null) {
      return null;
    }
    try {
      SignedReceipt signed = SignedReceipt.parseFrom(receipt);
      return new StatementLines.DeviceReceipt(
          signed.getReceipt(), signed.getSignature(), deviceKey(token));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored receipt cannot be read", e);
    }
  }

  private static ByteString deviceKey(byte[] token) {
    try {
      return SessionToken.parseFrom(SignedSessionToken.parseFrom(token).getToken()).getDeviceKey();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored token cannot be read", e);
    }
  }
}
