package io.viaduct.fuzzing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Java part of `viaduct fuzz --keep`, with the arguments `FOLDER FILE`: adds the fuzzer's inputs
/// to a corpus file.
public final class CorpusFile {
  private static final int USAGE = 64;
  private static final int BYTES_MAX = 256;
  private static final int LINES_MAX = 100;
  private static final Comparator<String> SHORT_FIRST =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  private CorpusFile() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: FOLDER FILE");
      System.exit(USAGE);
    }
    add(Path.of(arguments[0]), Path.of(arguments[1]), BYTES_MAX, LINES_MAX);
  }

  /// Adds a folder of inputs to a corpus file, one line each, from the shortest to the longest. The
  /// lines of the file stay. If the new inputs exceed the limit, an evenly spaced part of them is
  /// added.
  ///
  /// @param bytesMax longer inputs are left out
  /// @param linesMax limit of the file
  static void add(Path folder, Path file, int bytesMax, int linesMax) throws IOException {
    List<String> kept = Files.exists(file) ? Files.readAllLines(file) : List.of();
    List<String> found;
    try (Stream<Path> inputs = Files.list(folder)) {
      found =
          inputs
              .map(CorpusFile::read)
              .filter(input -> input.length > 0 && input.length <= bytesMax)
              .map(HexFormat.of()::formatHex)
              .filter(line -> !kept.contains(line))
              .sorted(SHORT_FIRST)
              .distinct()
              .toList();
    }
    int room = Math.clamp(linesMax - kept.size(), 0, found.size());
    IntStream added = IntStream.range(0, room).map(i -> (int) ((long) i * found.size() / room));
    List<String> lines =
        Stream.concat(kept.stream(), added.mapToObj(found::get)).sorted(SHORT_FIRST).toList();
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, lines, StandardCharsets.US_ASCII);
  }

  private static byte[] read(Path input) {
    try {
      return Files.readAllBytes(input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
