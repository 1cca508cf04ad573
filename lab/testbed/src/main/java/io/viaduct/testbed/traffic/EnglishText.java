package io.viaduct.testbed.traffic;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/// Endless English-like text from a seed: words with frequencies of Zipf's law, in sentences and
/// paragraphs. The same seed gives the same bytes. For one thread.
public final class EnglishText {
  private static final int DRAW_BITS = 14;
  private static final byte[][] WORDS = drawTable(readWords());

  private final SplittableRandom random;
  private byte[] pending = new byte[0];
  private int pendingFrom;
  private int wordsLeft;
  private int sentencesLeft;

  public EnglishText(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /// Returns the first bytes of the text whose seed is their number.
  public static byte[] of(int bytes) {
    var text = new byte[bytes];
    new EnglishText(bytes).fill(text);
    return text;
  }

  /// Fills the whole array.
  public void fill(byte[] target) {
    int at = 0;
    while (at < target.length) {
      if (pendingFrom == pending.length) {
        pending = next();
        pendingFrom = 0;
      }
      int count = Math.min(target.length - at, pending.length - pendingFrom);
      System.arraycopy(pending, pendingFrom, target, at, count);
      pendingFrom += count;
      at += count;
    }
  }

  private byte[] next() {
    byte[] word = WORDS[random.nextInt(1 << DRAW_BITS)];
    boolean first = wordsLeft == 0;
    if (first) {
      wordsLeft = 4 + random.nextInt(16);
    }
    boolean last = --wordsLeft == 0;
    String end = last ? ". " : random.nextInt(12) == 0 ? ", " : " ";
    if (last && --sentencesLeft < 0) {
      sentencesLeft = 3 + random.nextInt(5);
      end = ".\n\n";
    }
    byte[] out = new byte[word.length + end.length()];
    System.arraycopy(word, 0, out, 0, word.length);
    if (first) {
      out[0] = (byte) Character.toUpperCase(out[0]);
    }
    for (int i = 0; i < end.length(); i++) {
      out[word.length + i] = (byte) end.charAt(i);
    }
    return out;
  }

  /// Returns a table in which `DRAW_BITS` random bits select word r with a probability of about
  /// 1/(r+2).
  private static byte[][] drawTable(List<byte[]> words) {
    double sum = 0;
    for (int rank = 0; rank < words.size(); rank++) {
      sum += 1.0 / (rank + 2);
    }
    var table = new byte[1 << DRAW_BITS][];
    double reached = 0;
    int from = 0;
    for (int rank = 0; rank < words.size(); rank++) {
      reached += 1.0 / (rank + 2) / sum;
      int to = rank == words.size() - 1 ? table.length : (int) (reached * table.length);
      for (; from < to; from++) {
        table[from] = words.get(rank);
      }
    }
    return table;
  }

  /// Returns frequent words from a file, then rare words built from syllables.
  private static List<byte[]> readWords() {
    try (InputStream in = EnglishText.class.getResourceAsStream("words.txt")) {
      if (in == null) {
        throw new IllegalStateException("words.txt is missing from the jar");
      }
      var frequent = new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\\s+");
      var random = new SplittableRandom(1);
      String[] syllables = "con ter al pro men sta tion ri ver ing per ta le mo".split(" ");
      var words = new java.util.ArrayList<byte[]>();
      for (String word : frequent) {
        words.add(word.getBytes(StandardCharsets.US_ASCII));
      }
      for (int i = 0; i < 1500; i++) {
        var word = new StringBuilder();
        for (int s = 2 + random.nextInt(3); s > 0; s--) {
          word.append(syllables[random.nextInt(syllables.length)]);
        }
        words.add(word.toString().getBytes(StandardCharsets.US_ASCII));
      }
      return words;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
