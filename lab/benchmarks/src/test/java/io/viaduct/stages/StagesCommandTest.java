package io.viaduct.stages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StagesCommandTest {
  @TempDir private Path root = Path.of("");

  private int run(String... more) {
    var words = new ArrayList<>(List.of("--root", root.toString()));
    words.addAll(List.of(more));
    return new CommandLine(new StagesCommand()).execute(words.toArray(String[]::new));
  }

  @Test
  void resultsGoWhereTheUserSays() {
    Path output = root.resolve("elsewhere");
    int code = run("--output", output.toString(), "--filter", "NoSuchStage");
    assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(output).isDirectory();
    assertThat(root.resolve("build")).doesNotExist();
  }

  @Test
  void resultsGoToTheBuildFolderOfTheCloneElse() {
    assertThat(run("--filter", "NoSuchStage")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(root.resolve("build/bench")).isDirectory();
  }

  @Test
  void aFilterThatIsNoRegularExpressionIsRefused() {
    assertThat(run("--filter", "(")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(root.resolve("build")).doesNotExist();
  }
}
