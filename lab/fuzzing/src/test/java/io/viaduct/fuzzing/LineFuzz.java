package io.viaduct.fuzzing;

import java.util.List;

/// A target with a planted fault: it throws on the byte 66.
public final class LineFuzz {
  private LineFuzz() {}

  public static List<byte[]> seeds() {
    return List.of(new byte[] {1}, new byte[] {2});
  }

  public static void fuzzerTestOneInput(byte[] input) {
    for (byte b : input) {
      if (b == 66) {
        throw new IllegalStateException("66");
      }
    }
  }
}
