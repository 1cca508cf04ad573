package io.viaduct.testbed.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Words of a command line.
class LabShellTest {
  @Test
  void quotesKeepWordsTogetherAndACommentEndsTheLine() {
    assertThat(LabShell.words("exec device sh -c \"echo a b\" 'c # d' e#f # comment"))
        .containsExactly("exec", "device", "sh", "-c", "echo a b", "c # d", "e#f");
    assertThat(LabShell.words("  # only a comment")).isEmpty();
  }
}
