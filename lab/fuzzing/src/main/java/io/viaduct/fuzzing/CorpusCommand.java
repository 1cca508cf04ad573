package io.viaduct.fuzzing;

import java.io.IOException;
import java.nio.file.Path;

/// Java part of `viaduct fuzz`: `unpack CLASS FOLDER`, `pack FOLDER FILE`.
public final class CorpusCommand {
  private static final int USAGE = 64;
  private static final int BYTES_MAX = 256;
  private static final int LINES_MAX = 100;

  private CorpusCommand() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 3 && arguments[0].equals("unpack")) {
      FuzzTarget.named(arguments[1], CorpusCommand.class.getClassLoader())
          .unpack(Path.of(arguments[2]));
    } else if (arguments.length == 3 && arguments[0].equals("pack")) {
      FuzzTarget.pack(Path.of(arguments[1]), Path.of(arguments[2]), BYTES_MAX, LINES_MAX);
    } else {
      System.err.println("usage: unpack CLASS FOLDER | pack FOLDER FILE");
      System.exit(USAGE);
    }
  }
}
