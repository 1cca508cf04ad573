package io.viaduct.fuzzing;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// A target with a planted fault: it throws on the byte 66. Its name keeps it out of the suite.
final class PlantedFault {
  private boolean called;

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    if (called) {
      throw new IllegalStateException("an instance for two inputs");
    }
    called = true;
    for (byte b : input) {
      if (b == 66) {
        throw new IllegalStateException("66");
      }
    }
  }

  static List<byte[]> seeds() {
    return List.of(new byte[] {1}, new byte[] {2}, new byte[0]);
  }
}
