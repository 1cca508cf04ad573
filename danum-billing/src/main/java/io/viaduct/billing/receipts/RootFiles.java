package io.viaduct.billing.receipts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// Writes each published root to a file of its own, `2026-11-26.json`, for others to keep. A file
/// is never written again: one that differs from the database is an alarm. So is one that is later
/// than the roots of the database: the database is older than what it has published. One thread
/// writes and compares.
final class RootFiles {
  private static final Logger LOG = LoggerFactory.getLogger(RootFiles.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final Pattern NAME = Pattern.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})\\.json");

  /// Roots that are looked at in one run: those of a year, and more.
  private static final int LOOK = 400;

  private final Path directory;
  private final DayRoots roots;
  private final Set<LocalDate> compared = new HashSet<>();
  private Optional<LocalDate> alarmed = Optional.empty();
  private volatile boolean isAhead = true; // until the first comparison

  RootFiles(Path directory, DayRoots roots) {
    this.directory = directory;
    this.roots = roots;
  }

  /// Returns true if a file has a root that the database lacks and should have, by the last
  /// [#compare]; also before the first one.
  boolean isAhead() {
    return isAhead;
  }

  /// Compares the latest file with the latest root of the database.
  void compare() {
    Optional<LocalDate> file = latestFile(); // first: a root is in the database before its file
    Optional<LocalDate> root =
        roots.latest(LocalDate.of(9999, 1, 1), 1).stream()
            .map(each -> each.root().day())
            .findFirst();
    isAhead = file.isPresent() && (root.isEmpty() || file.get().isAfter(root.get()));
    if (isAhead && !file.equals(alarmed)) {
      LOG.error(
          "{} has the root of {}, the latest root of the database is {}: the database is older than"
              + " what it has published, as a restored backup is. No receipt is made and no root"
              + " published until those files are moved away (docs/operator.md, Backup and a standby)",
          directory,
          file.get(),
          root.map(LocalDate::toString).orElse("none"));
    }
    alarmed = isAhead ? file : Optional.empty();
  }

  private Optional<LocalDate> latestFile() {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> NAME.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .map(name -> LocalDate.parse(name.group(1)))
          .max(Comparator.naturalOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
