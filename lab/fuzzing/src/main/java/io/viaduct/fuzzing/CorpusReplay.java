package io.viaduct.fuzzing;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Base class of a module's corpus test: each input of each target of the module is one test. It
/// runs without instrumentation, so it costs no more than the parsers.
public abstract class CorpusReplay {
  private static final int NAME_BYTES = 12;

  @TestFactory
  public Stream<DynamicNode> everyInputOfTheCorpusKeepsTheRules() throws IOException {
    List<FuzzTarget> targets = FuzzTarget.beside(getClass());
    if (targets.isEmpty()) {
      throw new IllegalStateException(getClass() + " must stand beside classes named …Fuzz");
    }
    return targets.stream().map(CorpusReplay::replay);
  }

  private static DynamicNode replay(FuzzTarget target) {
    try {
      List<byte[]> corpus = target.corpus();
      if (corpus.isEmpty()) {
        throw new IllegalStateException(target.name() + " must have seeds");
      }
      return DynamicContainer.dynamicContainer(
          target.name(),
          IntStream.range(0, corpus.size())
              .mapToObj(i ->
                  DynamicTest.dynamicTest(
                      i + ": " + start(corpus.get(i)), () -> target.run(corpus.get(i)))));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String start(byte[] input) {
    return HexFormat.of().formatHex(input, 0, Math.min(input.length, NAME_BYTES));
  }
}
