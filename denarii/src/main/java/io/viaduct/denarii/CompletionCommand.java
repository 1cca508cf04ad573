package io.viaduct.denarii;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Prints the completion of a shell.
@Command(
    name = "completion",
    description = "Print the script that completes denarii's words in a shell.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  source <(denarii completion bash)"})
final class CompletionCommand implements Callable<Integer> {
  /// Shells; the script of bash works in zsh, too.
  enum Shell {
    BASH,
    ZSH
  }

  @Parameters(paramLabel = "SHELL", description = "bash or zsh")
  private Shell shell = Shell.BASH;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    CommandSpec own = Objects.requireNonNull(spec);
    own.commandLine().getOut().println(AutoComplete.bash("denarii", own.root().commandLine()));
    return 0;
  }
}
