package io.viaduct.billing.cdr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.CdrSettings;
import io.viaduct.billing.rest.ChargesOnFile;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /// A file as TS 32.297 describes it.
  private record ReadFile(
      long sequence, int cause, int month, int day, byte[] node, List<List<byte[]>> records) {
    long number(int record, int field) {
      return new java.math.BigInteger(records.get(record).get(field)).longValueExact();
    }

    String text(int record, int field) {
      return new String(records.get(record).get(field), UTF_8);
    }
  }

  private static ReadFile read(Path path) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(path));
    assertThat(in.getInt()).as("file length").isEqualTo(in.capacity());
    int header = in.getInt();
    assertThat(in.get() >>> 5 & 7).as("release is in the extension").isEqualTo(7);
    in.get();
    int opened = in.getInt();
    in.getInt();
    int count = in.getInt();
    long sequence = Integer.toUnsignedLong(in.getInt());
    int cause = Byte.toUnsignedInt(in.get());
    byte[] node = new byte[20];
    in.get(node);
    assertThat(in.get()).as("lost CDRs").isZero();
    skipCounted(in); // routeing filter
    skipCounted(in); // private extension
    in.getShort(); // extensions of both releases
    assertThat(in.position()).isEqualTo(header);
    List<List<byte[]>> records = new ArrayList<>();
    while (in.hasRemaining()) {
      int length = Short.toUnsignedInt(in.getShort());
      assertThat(in.get() >>> 5 & 7).isEqualTo(7);
      assertThat(in.get() >>> 5 & 7).as("BER").isEqualTo(1);
      in.get();
      ByteBuffer record = in.slice(in.position(), length);
      in.position(in.position() + length);
      assertThat(Byte.toUnsignedInt(record.get())).isEqualTo(0xe1);
      assertThat(length(record)).isEqualTo(record.remaining());
      List<byte[]> fields = new ArrayList<>();
      while (record.hasRemaining()) {
        assertThat(Byte.toUnsignedInt(record.get())).isEqualTo(0x80 | fields.size());
        byte[] content = new byte[length(record)];
        record.get(content);
        fields.add(content);
      }
      records.add(fields);
    }
    assertThat(records).hasSize(count);
    return new ReadFile(sequence, cause, opened >>> 28 & 15, opened >>> 23 & 31, node, records);
  }

  private static void skipCounted(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    in.position(in.position() + length);
  }

  private static int length(ByteBuffer in) {
    int first = Byte.toUnsignedInt(in.get());
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7f); i++) {
      length = length << 8 | Byte.toUnsignedInt(in.get());
    }
    return length;
  }

  private List<Long> exported() throws IOException {
    List<Long> charges = new ArrayList<>();
    for (Path file : files()) {
      ReadFile read = read(file);
      assertThat(read.sequence()).isEqualTo(sequence(file));
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
    ReadFile file = read(files().getFirst());
    assertThat(file.cause()).isEqualTo(CdrExport.CAUSE_TIME);
    assertThat(file.node()).endsWith(new byte[] {(byte) 192, 0, 2, 7});
    var opened = Instant.now().atZone(java.time.ZoneOffset.UTC);
    assertThat(file.month()).isEqualTo(opened.getMonthValue());
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
  void aFileIsClosedByNumberAndBySize() throws Exception {
    charges(40);
    export("3GPP", 10, 1 << 24).run();
    assertThat(files()).hasSizeGreaterThan(2);
    for (Path file : files()) {
      assertThat(read(file).cause()).isEqualTo(CdrExport.CAUSE_RECORDS);
      assertThat(read(file).records()).hasSizeBetween(1, 10);
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
      if (read(file).cause() == CdrExport.CAUSE_SIZE) {
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
