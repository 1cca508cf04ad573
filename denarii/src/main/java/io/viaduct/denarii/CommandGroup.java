package io.viaduct.denarii;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command that only holds others: without one of them it is wrong usage.
abstract class CommandGroup implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public final void run() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    throw new ParameterException(
        line, "name one of " + String.join(", ", line.getSubcommands().keySet()));
  }
}
