package io.viaduct.billing.cdr;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.CdrSettings;
import io.viaduct.billing.rest.ChargesOnFile;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/// Files of charging data records, read by a reader that knows only TS 32.297 and X.690.
class CdrExportTest {
  private static final JdbcTemplate JDBC = SharedDatabase.jdbc();
  private static final Instant FIRST = Instant.parse("2026-03-01T00:00:00Z");

  private final String account = "cdr-" + UUID.randomUUID().toString().substring(0, 8);
  private final ManualClock clock = new ManualClock();
  private List<ChargesOnFile.OnFile> finals = List.of();

  @TempDir Path directory;

  @BeforeEach
  void enable() {
    JDBC.update(
        "insert into account (id, display_name, role, password_hash, created_at) values (?, ?, 'user', 'x', now())",
        account,
        account);
    JDBC.update("update cdr_export set enabled = true");
  }

  @AfterEach
  void disable() {
    JDBC.update("update cdr_export set enabled = false");
    JDBC.update(
        "delete from cdr_interval where interval_id in (select id from charging_interval where account = ?)",
        account);
    ChargesOnFile.remove(account);
  }

  /// Adds charges; those of provisional intervals must not be exported.
  private void charges(int intervals) {
    finals =
        ChargesOnFile.add(account, intervals, FIRST, new Random(7)).stream()
            .filter(charge -> !charge.state().equals("PROVISIONAL"))
            .toList();
  }

  private CdrExport export(String format, int records, long bytes) {
    CdrSettings settings =
        new CdrSettings(
            directory.toString(),
            format,
            "billing-1",
            "192.0.2.7",
            records,
            bytes,
            Duration.ofMinutes(15));
    return new CdrExport(
        settings,
        switch (format) {
          case "CSV" -> TextFormat.CSV;
          case "JSONL" -> TextFormat.JSONL;
          default -> new ThreeGppFormat(InetAddress.ofLiteral("192.0.2.7"));
        },
        SharedDatabase.client(),
        SharedDatabase.transaction(),
        clock);
  }

  private void untilOld() {
    clock.advance(Duration.ofMinutes(16));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted((a, b) -> Long.compare(sequence(a), sequence(b))).toList();
    }
  }

  private static long sequence(Path file) {
    return Long.parseLong(file.getFileName().toString().replaceAll("^.*?_-_([0-9]+)\\..*$", "$1"));
  }

  private List<Long> exported() throws IOException {
    List<Long> charges = new ArrayList<>();
    for (Path file : files()) {
      ThreeGppFile read = ThreeGppFile.read(file);
      assertThat(read.header().sequence()).isEqualTo(sequence(file));
      for (int i = 0; i < read.records().size(); i++) {
        if (read.text(i, 1).equals(account)) {
          charges.add(read.number(i, 0));
        }
      }
    }
    return charges;
  }

  private List<Long> wanted() {
    return finals.stream().map(ChargesOnFile.OnFile::id).toList();
  }

  private void requireNoGap() throws IOException {
    List<Long> sequences = files().stream().map(CdrExportTest::sequence).toList();
    for (int i = 1; i < sequences.size(); i++) {
      assertThat(sequences.get(i)).isEqualTo(sequences.get(i - 1) + 1);
    }
  }

  @Test
  void eachFinalChargeIsInOneFileWithItsNumbers() throws Exception {
    charges(40);
    export("3GPP", 10_000, 1 << 24).run();
    assertThat(files()).as("the file is still open").isEmpty();
    untilOld();
    export("3GPP", 10_000, 1 << 24).run();
    assertThat(exported()).containsExactlyInAnyOrderElementsOf(wanted());
    ThreeGppFile file = ThreeGppFile.read(files().getFirst());
    for (int i = 0; i < file.records().size(); i++) {
      long id = file.number(i, 0);
      ChargesOnFile.OnFile charge =
          finals.stream().filter(c -> c.id() == id).findFirst().orElseThrow();
      assertThat(file.text(i, 2)).isEqualTo(charge.snapt());
      assertThat(Instant.parse(file.text(i, 5))).isEqualTo(charge.start());
      assertThat(file.text(i, 7)).isEqualTo(charge.application());
      assertThat(file.number(i, 9)).isEqualTo(charge.pre());
      assertThat(file.number(i, 12)).isEqualTo(charge.charge());
      assertThat(file.number(i, 14)).isEqualTo(charge.charge() - charge.discount());
    }
  }

  @Test
  void eachFieldOfTheHeadersIsThatOfTs32297() throws Exception {
    charges(10);
    untilOld();
    export("3GPP", 10_000, 1 << 24).run();
    Path path = files().getLast();
    ThreeGppFile file = ThreeGppFile.read(path);
    ThreeGppFile.Version release = new ThreeGppFile.Version(7, 1); // 7: the extension has it
    Instant opened =
        JDBC.queryForObject(
                "select due_at from cdr_interval where file_sequence = ? order by id limit 1",
                Timestamp.class,
                sequence(path))
            .toInstant();
    assertThat(file.header())
        .isEqualTo(
            new ThreeGppFile.Header(
                Files.size(path),
                54,
                release,
                release,
                ThreeGppFile.Time.in(opened),
                ThreeGppFile.Time.in(clock.instant()),
                file.records().size(),
                sequence(path),
                CdrExport.CAUSE_TIME,
                List.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7),
                0,
                0,
                0,
                18 - 10, // release 18
                18 - 10));
    assertThat(file.recordHeaders())
        .isNotEmpty()
        .allSatisfy(header ->
            assertThat(header)
                .isEqualTo(
                    new ThreeGppFile.CdrHeader(header.length(), release, 1, 0, 18 - 10))); // 1: BER
  }

  @Test
  void aTimeOfTheHeaderHasMonthDayHourMinuteAndTheDeviationFromUtc() {
    // 11 = 1011, 30 = 11110, 23 = 10111, 59 = 111011, + = 1, no deviation
    assertThat(ThreeGppFormat.time(Instant.parse("2026-11-30T23:59:59.999Z")))
        .isEqualTo(0b1011_11110_10111_111011_1_00000_000000);
    assertThat(ThreeGppFormat.time(Instant.parse("2026-01-02T03:04:00Z")))
        .isEqualTo(0b0001_00010_00011_000100_1_00000_000000);
  }

  @Test
  void eachFieldOfARecordIsThatOfTheCharge() throws Exception {
    String adjusted = UUID.randomUUID().toString();
    String voided = UUID.randomUUID().toString();
    long first = chargeWithEachLine("ADJUSTED", adjusted);
    long second = chargeWithEachLine("VOID", voided);
    untilOld();
    export("3GPP", 10_000, 1 << 24).run();
    ThreeGppFile file = ThreeGppFile.read(files().getLast());
    assertThat(fields(file, first))
        .containsExactly(first, adjusted, 1000L, 100L, 1000L - 100 + 70 + 8 - 200, "ADJUSTED");
    assertThat(fields(file, second))
        .as("a void charge keeps its bill, and costs nothing")
        .containsExactly(second, voided, 1000L, 100L, 0L, "VOID");
  }

  /// Returns id, session, charge, discount, net and state of a record, and requires the others.
  private List<Object> fields(ThreeGppFile file, long charge) {
    int record = 0;
    while (file.number(record, 0) != charge) {
      record++;
    }
    assertThat(file.records().get(record)).hasSize(18);
    assertThat(file.text(record, 1)).isEqualTo(account);
    assertThat(file.text(record, 2)).isEqualTo("snapt-a");
    assertThat(file.text(record, 4)).isEqualTo("icid-7");
    assertThat(file.text(record, 5)).isEqualTo("2026-03-01T10:00:00.123Z");
    assertThat(file.text(record, 6)).isEqualTo("2026-03-01T10:01:30Z");
    assertThat(file.text(record, 7)).isEqualTo("web");
    assertThat(file.text(record, 8)).isEqualTo("HT_LD");
    assertThat(file.number(record, 9)).isEqualTo(450_000);
    assertThat(file.number(record, 10)).isEqualTo(180_000);
    assertThat(file.number(record, 11)).isEqualTo(89_877);
    assertThat(file.number(record, 15)).as("tariff").isEqualTo(1);
    assertThat(file.number(record, 17)).as("revision").isZero();
    return List.of(
        file.number(record, 0),
        file.text(record, 3),
        file.number(record, 12),
        file.number(record, 13),
        file.number(record, 14),
        file.text(record, 16));
  }

  /// Adds an interval with a charge whose bill has a fee, a surcharge and a refund.
  private long chargeWithEachLine(String state, String session) {
    return JDBC.queryForObject(
        """
        with one as (
          insert into charging_interval (id, snapt_id, session_id, epoch, sequence, account, owner, icid, token_id, started_at,
            ended_at, received_at, grace_ends_at, clock, tariff_version, state)
          values (nextval('charging_interval_id'), 'snapt-a', ?, 1, 0, ?, 'acme', 'icid-7', '', '2026-03-01 10:00:00.123Z',
            '2026-03-01 10:01:30Z', '2026-03-01 10:01:31Z', '2026-03-01 10:11:30Z', 'GOOD', 1, ?)
          returning id, account, started_at)
        insert into charge (id, interval_id, flow, account, started_at, application, service_class, protocol, pre_bytes,
          post_bytes, saved_bytes, duration_ms, throughput, delay_ms, delay_source, loss, utility_per_second, price_per_unit,
          units, charge_microdenarii, discount_microdenarii, access_fee_microdenarii, surcharge_microdenarii,
          refund_microdenarii, broken_promise, promised, measured)
        select nextval('charge_id'), id, 1, account, started_at, 'web', 'HT_LD', 6, 450000, 180000, 270000, 89877, 1, 1,
          'MEASURED', 0, 1, 1, 1, 1000, 100, 70, 8, 200, 'DELAY', 150, 240 from one
        returning id
        """,
        Long.class,
        session,
        account,
        state);
  }

  @Test
  void aFileIsClosedByNumberAndBySize() throws Exception {
    charges(40);
    export("3GPP", 10, 1 << 24).run();
    assertThat(files()).hasSizeGreaterThan(2);
    for (Path file : files()) {
      assertThat(ThreeGppFile.read(file).header().cause()).isEqualTo(CdrExport.CAUSE_RECORDS);
      assertThat(ThreeGppFile.read(file).records()).hasSizeBetween(1, 10);
    }
    export("3GPP", 10_000, 1500).run();
    untilOld();
    export("3GPP", 10_000, 1 << 24).run();
    assertThat(exported()).containsExactlyInAnyOrderElementsOf(wanted());
    requireNoGap();
    charges(40);
    export("3GPP", 10_000, 1500).run();
    List<Path> full = new ArrayList<>();
    for (Path file : files()) {
      if (ThreeGppFile.read(file).header().cause() == CdrExport.CAUSE_SIZE) {
        full.add(file);
        assertThat(Files.size(file)).isLessThanOrEqualTo(1500 + ThreeGppFormat.HEADER_BYTES);
      }
    }
    assertThat(full).hasSizeGreaterThan(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"numbered", "half-written", "renamed"})
  void afterAKillTheSameFileIsWritten(String point) throws Exception {
    charges(20);
    untilOld();
    export("3GPP", 10_000, 1 << 24).run();
    Path file = files().getLast();
    byte[] content = Files.readAllBytes(file);
    // A killed process leaves no mark, and perhaps no file.
    JDBC.update("update cdr_file set written_at = null where sequence = ?", sequence(file));
    if (!point.equals("renamed")) {
      Files.delete(file);
    }
    if (point.equals("half-written")) {
      Files.write(directory.resolve(file.getFileName() + ".tmp"), new byte[100_000]);
    }
    charges(5);
    clock.advance(Duration.ofMinutes(1));
    export("3GPP", 10_000, 1 << 24).run();
    assertThat(files().stream().filter(f -> f.toString().endsWith(".tmp"))).isEmpty();
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
    requireNoGap();
  }

  @Test
  void twoInstancesWriteEachChargeOnceWhileChargesCome() throws Exception {
    List<Callable<Boolean>> all = new ArrayList<>();
    List<ChargesOnFile.OnFile> added = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 4; i++) {
      Random random = new Random(i);
      all.add(() -> {
        for (int n = 0; n < 10; n++) {
          added.addAll(
              SharedDatabase.transaction()
                  .execute(_ -> ChargesOnFile.add(account, 3, FIRST, random)));
        }
        return true;
      });
    }
    for (int i = 0; i < 2; i++) {
      all.add(() -> {
        for (int n = 0; n < 40; n++) {
          export("3GPP", 7, 1 << 24).run();
        }
        return true;
      });
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var done : threads.invokeAll(all)) {
        assertThat(done.get()).isTrue();
      }
    }
    untilOld();
    export("3GPP", 7, 1 << 24).run();
    finals = added.stream().filter(c -> !c.state().equals("PROVISIONAL")).toList();
    assertThat(exported()).containsExactlyInAnyOrderElementsOf(wanted());
    requireNoGap();
  }

  @Test
  void csvAndJsonLinesHaveTheSameFields() throws Exception {
    charges(10);
    untilOld();
    export("JSONL", 10_000, 1 << 24).run();
    Path lines = files().getLast();
    assertThat(lines.getFileName().toString()).endsWith(".jsonl");
    List<Long> ids =
        Files.readAllLines(lines).stream()
            .map(line -> JsonMapper.shared().readTree(line))
            .filter(record -> record.get("account").asString().equals(account))
            .map(record -> Long.parseLong(record.get("charge").asString()))
            .toList();
    assertThat(ids).containsExactlyInAnyOrderElementsOf(wanted());
    charges(10);
    export("CSV", 10_000, 1 << 24).run();
    List<String> rows = Files.readString(files().getLast()).lines().toList();
    assertThat(rows.getFirst()).startsWith("charge,account,snapt,session,icid,startedAt");
    assertThat(rows.stream().skip(1).map(row -> Long.parseLong(row.split(",")[0])))
        .containsExactlyInAnyOrderElementsOf(wanted());
  }
}
