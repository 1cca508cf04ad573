package io.viaduct.stages;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/// Generates text from 400 random words, some of them frequent. The text compresses like prose and
/// does not repeat.
public final class WordText {
  private static final int WORDS = 400;

  private final SplittableRandom random;
  private final String[] words = new String[WORDS];

  /// Makes a generator.
  ///
  /// @param seed the same seed gives the same text
  public WordText(long seed) {
    random = new SplittableRandom(seed);
    for (int i = 0; i < WORDS; i++) {
      words[i] =
          random
              .ints(random.nextInt(2, 9), 'a', 'z' + 1)
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
    }
  }

  /// Returns the next bytes of the text.
  public byte[] next(int bytes) {
    StringBuilder text = new StringBuilder();
    while (text.length() < bytes) {
      double often = random.nextDouble();
      text.append(words[(int) (often * often * WORDS)]).append(' ');
    }
    text.setLength(bytes);
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
