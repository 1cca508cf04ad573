package io.viaduct.billing.cdr;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.CdrSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Exports what waits, and reads the files.
public final class ExportedRecords {
  private static final Duration OPEN = Duration.ofMinutes(15);

  private ExportedRecords() {}

  private static CdrExport export(Path directory) {
    return new CdrExport(
        new CdrSettings(directory.toString(), "JSONL", "test", "192.0.2.7", 10_000, 1 << 24, OPEN),
        TextFormat.JSONL,
        SharedDatabase.client(),
        SharedDatabase.transaction(),
        () -> Instant.now().plus(OPEN).plusSeconds(60)); // what waits has waited for long enough
  }

  /// Returns the records of an account in all files of a directory, after an export into it.
  public static List<JsonNode> of(String account, Path directory) throws IOException {
    export(directory).run();
    List<JsonNode> records = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          JsonNode record = JsonMapper.shared().readTree(line);
          if (record.get("account").asString().equals(account)) {
            records.add(record);
          }
        }
      }
    }
    return records;
  }

  /// Returns true if all files of a directory are made again from the database as they are.
  public static boolean areMadeAgain(Path directory) throws IOException {
    CdrExport export = export(directory);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        long sequence =
            Long.parseLong(file.getFileName().toString().replaceAll("^test_-_(\\d+)\\..*", "$1"));
        if (!Arrays.equals(export.content(sequence).orElseThrow(), Files.readAllBytes(file))) {
          return false;
        }
      }
    }
    return true;
  }
}
