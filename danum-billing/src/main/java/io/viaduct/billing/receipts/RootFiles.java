package io.viaduct.billing.receipts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// Writes each published root to a file of its own, `2026-11-26.json`, for others to keep. A file
/// is never written again: one that differs from the database is an alarm. Used by one thread.
final class RootFiles {
  private static final Logger LOG = LoggerFactory.getLogger(RootFiles.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Roots that are looked at in one run: those of a year, and more.
  private static final int LOOK = 400;

  private final Path directory;
  private final DayRoots roots;
  private final Set<LocalDate> compared = new HashSet<>();

  RootFiles(Path directory, DayRoots roots) {
    this.directory = directory;
    this.roots = roots;
  }

  /// Writes the files that are missing, and compares the others once.
  void write() {
    List<PublishedRoot> latest = roots.latest(LocalDate.of(9999, 1, 1), LOOK);
    for (PublishedRoot root : latest) {
      if (compared.add(root.root().day())) {
        try {
          write(root);
        } catch (IOException e) {
          compared.remove(root.root().day());
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void write(PublishedRoot root) throws IOException {
    Path file = directory.resolve(root.root().day() + ".json");
    String text = JSON.writeValueAsString(RootDocument.of(root)) + "\n";
    if (!Files.exists(file)) {
      Path part = Files.writeString(directory.resolve(root.root().day() + ".json.tmp"), text);
      Files.move(part, file);
    } else if (!JSON.readTree(Files.readString(file))
        .path("root")
        .asString("")
        .equals(Hex.of(root.hash()))) {
      LOG.error(
          "{} has another root than the database, {}: one of both was changed after it was published",
          file,
          Hex.of(root.hash()));
    }
  }
}
