package io.viaduct.billing.cdr;

import io.viaduct.billing.configuration.CdrSettings;
import io.viaduct.service.digest.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Writes the charges of final intervals to files, and once more what a re-rating makes of them. A
/// file gets its number and its intervals in one transaction; then it is written from the database,
/// synchronised and renamed, and only then marked as written. After a kill at any point, the same
/// file with the same content is written, so that nothing lacks and nothing is twice. One billing
/// instance writes at a time.
public final class CdrExport {
  /// Closure trigger reasons (TS 32.297, section 6.1.1).
  static final int CAUSE_SIZE = 1;

  static final int CAUSE_TIME = 2;
  static final int CAUSE_RECORDS = 3;

  private static final int LOCK = 0x00636472;
  private static final int INTERVALS_AT_ONCE = 500;
  private static final DateTimeFormatter NAME_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd_-_HHmm").withZone(ZoneOffset.UTC);

  private final CdrSettings settings;
  private final CdrFormat format;
  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final InstantSource clock;

  CdrExport(
      CdrSettings settings,
      CdrFormat format,
      JdbcClient jdbc,
      TransactionTemplate transaction,
      InstantSource clock) {
    this.settings = settings;
    this.format = format;
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.clock = clock;
  }

  /// A file that has its number.
  record Numbered(String name, CdrFormat.Head head) {}

  /// A bill of an interval that waits for a file.
  private record Waiting(long id, Instant dueAt) {}

  /// Writes what has a number and is not on disk, then closes files that are full or old, and
  /// writes them.
  void run() {
    unwritten().forEach(this::write);
    while (closeNext()) {
      unwritten().forEach(this::write);
    }
  }

  /// Gives the next file its number and its intervals, if it is full or old enough.
  ///
  /// @return false if it is neither, or if another instance writes
  private boolean closeNext() {
    return Boolean.TRUE.equals(
        transaction.execute(_ -> {
          if (!locked()) {
            return false;
          }
          List<Waiting> taken = new ArrayList<>();
          int records = 0;
          long bytes = 0;
          int cause = 0;
          List<Waiting> page = waiting(0);
          while (cause == 0 && !page.isEmpty()) {
            Map<Long, List<CdrRecord>> charged = records(page.stream().map(Waiting::id).toList());
            for (Waiting each : page) {
              List<byte[]> its =
                  charged.getOrDefault(each.id, List.of()).stream()
                      .map(record -> format.encode(record, CdrRecord.FIELDS))
                      .toList();
              long size = its.stream().mapToLong(record -> record.length).sum();
              // An interval stays whole, unless it alone is more than a file.
              if (!taken.isEmpty() && records + its.size() > settings.records()) {
                cause = CAUSE_RECORDS;
              } else if (!taken.isEmpty() && bytes + size > settings.bytes()) {
                cause = CAUSE_SIZE;
              }
              if (cause != 0) {
                break;
              }
              taken.add(each);
              records += its.size();
              bytes += size;
            }
            page = cause == 0 ? waiting(taken.getLast().id) : page;
          }
          Instant now = clock.instant();
          if (cause == 0
              && !taken.isEmpty()
              && !taken.getFirst().dueAt.plus(settings.openTime()).isAfter(now)) {
            cause = CAUSE_TIME;
          }
          if (cause == 0) {
            return false;
          }
          number(taken, cause, records, now);
          return true;
        }));
  }

  private void number(List<Waiting> taken, int cause, int records, Instant now) {
    long sequence =
        jdbc.sql("select coalesce(max(sequence), 0) + 1 from cdr_file").query(Long.class).single();
    jdbc.sql(
            "insert into cdr_file (sequence, name, format, cause, records, fields, opened_at, closed_at)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?)")
        .params(
            sequence,
            // TS 32.297, section 6.2: node, running count, date, time with its deviation from UTC
            "%s_-_%d.%s+0000.%s"
                .formatted(settings.node(), sequence, NAME_TIME.format(now), format.extension()),
            settings.format(),
            cause,
            records,
            CdrRecord.FIELDS,
            Timestamp.from(taken.getFirst().dueAt),
            Timestamp.from(now))
        .update();
    jdbc.sql(
            "update cdr_interval set file_sequence = ? where id = any (string_to_array(?, ',')::bigint[])")
        .params(sequence, list(taken.stream().map(Waiting::id)))
        .update();
  }

  // A row that is committed later than one with a larger id goes to a later file.
  private List<Waiting> waiting(long after) {
    return jdbc.sql(
            "select id, due_at from cdr_interval where file_sequence is null and id > ?"
                + " order by id limit ?")
        .params(after, INTERVALS_AT_ONCE)
        .query((row, _) -> new Waiting(row.getLong(1), row.getTimestamp(2).toInstant()))
        .list();
  }

  private boolean locked() {
    return jdbc.sql("select pg_try_advisory_xact_lock(?)")
        .param(LOCK)
        .query(Boolean.class)
        .single();
  }

  private static String list(Stream<Long> ids) {
    return ids.map(String::valueOf).collect(Collectors.joining(","));
  }

  private record OfBill(long id, CdrRecord record) {}

  /// Returns the records of bills, each with those of its flows in their order.
  ///
  /// @param bills ids of waiting or exported bills of intervals
  private Map<Long, List<CdrRecord>> records(List<Long> bills) {
    return jdbc
        .sql(
            """
            select d.id, c.id, c.account, i.snapt_id, i.session_id, i.icid, i.started_at, i.ended_at, c.application,
              c.service_class, c.pre_bytes, c.post_bytes, c.duration_ms,
              coalesce(v.charge_microdenarii, c.charge_microdenarii), coalesce(v.discount_microdenarii, c.discount_microdenarii),
              case when i.state = 'VOID' then 0 else coalesce(v.charge_microdenarii - v.discount_microdenarii
                + v.access_fee_microdenarii + v.surcharge_microdenarii - v.refund_microdenarii, c.net) end,
              coalesce(v.tariff_version, i.tariff_version), i.state, d.revision
            from cdr_interval d join charging_interval i on i.id = d.interval_id join charge c on c.interval_id = i.id
              left join charge_revision v on (v.charge_id, v.revision) = (c.id, d.revision)
            where d.id = any (string_to_array(?, ',')::bigint[]) order by d.id, c.id
            """)
        .param(list(bills.stream()))
        .query((row, _) ->
            new OfBill(
                row.getLong(1),
                new CdrRecord(
                    row.getLong(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6),
                    row.getTimestamp(7).toInstant(),
                    row.getTimestamp(8).toInstant(),
                    row.getString(9),
                    row.getString(10),
                    row.getLong(11),
                    row.getLong(12),
                    row.getLong(13),
                    row.getLong(14),
                    row.getLong(15),
                    row.getLong(16),
                    row.getInt(17),
                    row.getString(18),
                    row.getInt(19))))
        .list()
        .stream()
        .collect(
            Collectors.groupingBy(
                OfBill::id, Collectors.mapping(OfBill::record, Collectors.toList())));
  }

  private List<Numbered> unwritten() {
    return jdbc.sql(
            "select name, sequence, cause, records, fields, opened_at, closed_at from cdr_file"
                + " where written_at is null order by sequence")
        .query((row, _) ->
            new Numbered(
                row.getString(1),
                new CdrFormat.Head(
                    row.getLong(2),
                    row.getInt(3),
                    row.getInt(4),
                    row.getInt(5),
                    row.getTimestamp(6).toInstant(),
                    row.getTimestamp(7).toInstant())))
        .list();
  }

  /// Makes the content of a file that was written again from the database.
  ///
  /// @return empty if there is no such file, it is not written yet, or it would not be the same
  ///   octets: settings of the files, or personal data, have changed since
  public Optional<byte[]> content(long sequence) {
    return jdbc.sql(
            "select cause, records, fields, opened_at, closed_at, format, sha256 from cdr_file"
                + " where sequence = ? and written_at is not null")
        .param(sequence)
        .query((row, _) -> {
          CdrFormat.Head head =
              new CdrFormat.Head(
                  sequence,
                  row.getInt(1),
                  row.getInt(2),
                  row.getInt(3),
                  row.getTimestamp(4).toInstant(),
                  row.getTimestamp(5).toInstant());
          byte[] content =
              row.getString(6).equals(settings.format())
                  ? format.file(head, encoded(head))
                  : new byte[0];
          return Arrays.equals(Sha256.of(content), row.getBytes(7)) ? content : new byte[0];
        })
        .optional()
        .filter(content -> content.length > 0);
  }

  /// Writes a file under a temporary name, renames it, and marks it as written. The lock keeps
  /// another instance from writing the same file.
  private void write(Numbered file) {
    transaction.executeWithoutResult(_ -> {
      if (!locked()) {
        return;
      }
      byte[] content = format.file(file.head, encoded(file.head));
      try {
        place(file.name, content);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      jdbc.sql("update cdr_file set bytes = ?, sha256 = ?, written_at = ? where sequence = ?")
          .params(
              content.length,
              Sha256.of(content),
              Timestamp.from(clock.instant()),
              file.head.sequence())
          .update();
    });
  }

  private List<byte[]> encoded(CdrFormat.Head head) {
    List<Long> bills =
        jdbc.sql("select id from cdr_interval where file_sequence = ? order by id")
            .param(head.sequence())
            .query(Long.class)
            .list();
    Map<Long, List<CdrRecord>> records = records(bills);
    return bills.stream()
        .flatMap(bill -> records.getOrDefault(bill, List.of()).stream())
        .map(record -> format.encode(record, head.fields()))
        .toList();
  }

  private void place(String name, byte[] content) throws IOException {
    Path directory = Path.of(settings.directory());
    Path temporary = directory.resolve(name + ".tmp");
    try (FileChannel out =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        var unused = out.write(rest);
      }
      out.force(true);
    }
    Files.move(
        temporary,
        directory.resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
      folder.force(true); // the new name
    }
  }
}
