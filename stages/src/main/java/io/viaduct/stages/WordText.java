package io.viaduct.stages;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/// Made-up text of 400 words, some of which are frequent: it compresses like prose, and nothing of
/// it comes twice.
public final class WordText {
  private static final int WORDS = 400;

  private final SplittableRandom random;
  private final String[] words = new String[WORDS];

  /// @param seed the same text for the same seed
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

  /// So many bytes more.
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
