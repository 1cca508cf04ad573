package io.viaduct.setup;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/// A command that works on an existing installation.
abstract class InstallationCommand implements Callable<Integer> {
  @ParentCommand private @Nullable SetupCommand setup;

  @Option(
      names = "--out",
      order = Integer.MAX_VALUE, // listed last
      description = "directory of the installation (default: ${DEFAULT-VALUE})")
  private Path out = Path.of(Workplace.DEFAULT_DIRECTORY);

  final Workplace workplace() {
    return Objects.requireNonNull(setup).workplace(out);
  }

  final PrintWriter printer() {
    return Objects.requireNonNull(setup).out();
  }
}
