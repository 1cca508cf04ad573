package io.viaduct.fuzzing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// One fuzz target with its name and corpus; runs one input.
public final class FuzzTarget {
  private static final String ENDING = "Fuzz.class";
  private static final Comparator<String> SHORT_FIRST =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  private final Class<?> type;

  public FuzzTarget(Class<?> type) {
    this.type = type;
  }

  /// Returns all targets that were compiled together with a test.
  public static List<FuzzTarget> beside(Class<?> test) throws IOException {
    Path root = Path.of(test.getProtectionDomain().getCodeSource().getLocation().getPath());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(ENDING))
          .map(file -> root.relativize(file).toString())
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .map(name -> named(name, test.getClassLoader()))
          .toList();
    }
  }

  static FuzzTarget named(String className, ClassLoader loader) {
    try {
      return new FuzzTarget(Class.forName(className, true, loader));
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("'" + className + "' is no class on the class path", e);
    }
  }

  public String name() {
    return type.getSimpleName();
  }

  /// Returns the inputs of `seeds()`, followed by the lines of the file.
  public List<byte[]> corpus() throws IOException {
    List<byte[]> inputs = new ArrayList<>(made());
    try (InputStream file = type.getResourceAsStream(name() + ".hex")) {
      if (file != null) {
        new BufferedReader(new InputStreamReader(file, StandardCharsets.US_ASCII))
            .lines()
            .map(HexFormat.of()::parseHex)
            .forEach(inputs::add);
      }
    }
    return inputs;
  }

  private List<byte[]> made() {
    try {
      List<byte[]> made = new ArrayList<>();
      for (Object input : (List<?>) call("seeds")) {
        made.add((byte[]) input);
      }
      return made;
    } catch (NoSuchMethodException _) {
      return List.of(); // a target without seeds of its own
    }
  }

  /// Runs one input.
  ///
  /// @throws AssertionError with the exception of the target as its cause
  public void run(byte[] input) {
    try {
      call("fuzzerTestOneInput", input);
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          type + " must have 'public static void fuzzerTestOneInput(byte[])'", e);
    }
  }

  private Object call(String method, byte[]... input) throws NoSuchMethodException {
    try {
      Object result =
          input.length == 0
              ? type.getMethod(method).invoke(null)
              : type.getMethod(method, byte[].class).invoke(null, (Object) input[0]);
      return result == null ? type : result;
    } catch (InvocationTargetException e) {
      throw new AssertionError(name() + "." + method + " threw " + e.getCause(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(type + " and its " + method + " must be public", e);
    }
  }

  /// Writes the corpus in the fuzzer's form: one file per input.
  void unpack(Path folder) throws IOException {
    Files.createDirectories(folder);
    int number = 0;
    for (byte[] input : corpus()) {
      Files.write(folder.resolve("seed-" + number++), input);
    }
  }

  /// Adds a folder of inputs to a corpus file, one line each, from the shortest to the longest. The
  /// lines of the file stay. If the new inputs exceed the limit, an evenly spaced part of them is
  /// added.
  ///
  /// @param bytesMax longer inputs are left out
  /// @param linesMax limit of the file
  static void pack(Path folder, Path file, int bytesMax, int linesMax) throws IOException {
    List<String> kept = Files.exists(file) ? Files.readAllLines(file) : List.of();
    List<String> found;
    try (Stream<Path> inputs = Files.list(folder)) {
      found =
          inputs
              .map(FuzzTarget::read)
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
